# Sourced by serve, test and lint: makes .venv and installs pinned versions, once.
# After `ensure_env EXTRA...` the environment is ready and its bin folder is $VENV_BIN.
# After `ensure_browser` there is what tests/browser needs besides, as far as it can be had, and
# after `ensure_postgres`, `ensure_redis`, `ensure_deploy` and `ensure_gstreamer` what tests/call_log,
# tests/cluster, tests/deploy and tests/server/webrtc need.

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
VENV="$ROOT/.venv"
VENV_BIN="$VENV/bin"
STAMPS="$VENV/.voicepipe"

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# The first Python on PATH that is new enough, or $PYTHON.
find_python() {
    local candidate
    for candidate in "${PYTHON:-}" python3 python3.13 python3.12 python3.11 python; do
        [ -n "$candidate" ] || continue
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    die "Python 3.11 or newer is needed and not on PATH. On Debian 12 or newer: apt-get install python3 python3-venv"
}

# Runs a command quietly; shows what it printed only if it fails.
quietly() {
    local log
    log="$(mktemp)"
    if "$@" >"$log" 2>&1; then
        rm -f "$log"
        return 0
    fi
    cat "$log" >&2
    rm -f "$log"
    return 1
}

# apt_install PACKAGE...: as root, or with a sudo that does not ask; fails where neither is there.
apt_install() {
    local as_root=()
    command -v apt-get >/dev/null || return 1
    if [ "$(id -u)" != 0 ]; then
        sudo -n true 2>/dev/null || return 1
        as_root=(sudo -n)
    fi
    say "  installing $* with apt-get ..."
    local try
    for try in 1 2 3; do
        if quietly "${as_root[@]}" apt-get update -qq \
            && quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
                apt-get install -y -qq --no-install-recommends "$@"; then
            return 0
        fi
        sleep $((try * 5))
    done
    return 1
}

# Debian ships python3 without the part that puts pip into a new environment.
make_venv() {
    local python="$1" version
    version="$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
    rm -rf "$VENV"
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        apt_install "python$version-venv" || apt_install python3-venv || true
    fi
    if "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        quietly "$python" -m venv "$VENV"
    elif "$python" -m virtualenv --version >/dev/null 2>&1; then
        quietly "$python" -m virtualenv "$VENV"
    elif command -v virtualenv >/dev/null; then
        quietly virtualenv --python "$python" "$VENV"
    elif "$python" -c 'import venv, pip' 2>/dev/null; then
        quietly "$python" -m venv --without-pip "$VENV" \
            && quietly "$python" -m pip --python "$VENV_BIN/python" install pip
    else
        die "this Python cannot make environments. As root: apt-get install python3-venv"
    fi
}

# What the installed state depends on; a change of any of it reinstalls.
fingerprint() {
    { cat "$ROOT/pyproject.toml" "$ROOT/constraints.txt"; printf '%s' "$ROOT"; } | sha256sum | cut -d' ' -f1
}

# outdated EXTRA...: whether something of this is not installed as pyproject and constraints say.
outdated() {
    local extra wanted
    wanted="$(fingerprint)"
    for extra in base "$@"; do
        [ "$(cat "$STAMPS/$extra" 2>/dev/null)" = "$wanted" ] || return 0
    done
    return 1
}

# ensure_env EXTRA...: the environment with voicepipe and these extras of pyproject.toml.
ensure_env() {
    outdated "$@" || return 0
    mkdir -p "$ROOT/.cache"
    (
        if command -v flock >/dev/null && ! flock --nonblock 9; then
            say "Waiting for another script that is installing ..."
            flock 9
        fi
        if outdated "$@"; then # else the other script did it
            install_env "$@"
        fi
    ) 9>"$ROOT/.cache/install.lock" || exit 1
}

install_env() {
    local started=$SECONDS extra extras python
    if ! "$VENV_BIN/python" -m pip --version >/dev/null 2>&1; then
        say "[1/3] making an environment in .venv ..."
        python="$(find_python)" || exit 1
        make_venv "$python" || die "the environment in .venv could not be made; see above"
    fi
    extras="$(IFS=,; echo "$*")"
    local pip=("$VENV_BIN/python" -m pip install --quiet --no-input --disable-pip-version-check
        -c "$ROOT/constraints.txt")
    say "[2/3] preparing to build ..."
    quietly "${pip[@]}" setuptools \
        || die "setuptools could not be installed; is a package registry reachable?"
    say "[3/3] installing voicepipe${extras:+ with $extras}; the first time this takes a minute or two ..."
    quietly "${pip[@]}" --no-build-isolation -e "$ROOT${extras:+[$extras]}" \
        || die "installing failed; see above. Is a package registry reachable?"
    mkdir -p "$STAMPS"
    for extra in base "$@"; do
        fingerprint >"$STAMPS/$extra"
    done
    say "Installed in $((SECONDS - started)) s."
}

# ensure_browser: Debian's chromium ($CHROMIUM names another of its kind), node, the packages that
# tests/browser bundles into its pages (.cache/browser), and Firefox. What cannot be had is said
# here; the tests that need it then fail, and the others run.
ensure_browser() {
    local missing=()
    command -v "${CHROMIUM:-chromium}" >/dev/null || missing+=(chromium)
    command -v node >/dev/null || missing+=(nodejs)
    command -v npm >/dev/null || missing+=(npm)
    # What drives the browser is a node of its own, which a bare Debian lacks a library for.
    "$VENV_BIN/python" -m playwright --version >/dev/null 2>&1 || missing+=(libatomic1)
    if [ "${#missing[@]}" != 0 ] && ! apt_install "${missing[@]}"; then
        say "warning: without ${missing[*]} the tests in tests/browser and web fail." \
            "As root: apt-get install --no-install-recommends ${missing[*]}"
    fi
    ensure_node_packages || say "warning: the packages in tests/browser/package.json could not" \
        "be installed (see above); the tests in tests/browser that use them fail."
    ensure_firefox
}

# Without a sound card Firefox lets no audio graph run: PulseAudio stands in, and plays to nobody.
ensure_firefox() {
    local missing=()
    command -v "${FIREFOX:-firefox-esr}" >/dev/null || missing+=(firefox-esr)
    command -v pulseaudio >/dev/null || missing+=(pulseaudio)
    [ "${#missing[@]}" = 0 ] || apt_install "${missing[@]}" \
        || say "warning: the tests of Firefox fail without ${missing[*]}." \
            "As root: apt-get install --no-install-recommends ${missing[*]}"
}

ensure_node_packages() {
    local wanted="$ROOT/tests/browser" have="$ROOT/.cache/browser" stamp
    command -v npm >/dev/null || return 1
    stamp="$(cat "$wanted"/package*.json | sha256sum | cut -d' ' -f1)"
    [ "$(cat "$have/.installed" 2>/dev/null)" != "$stamp" ] || return 0
    say "installing the node packages of tests/browser ..."
    mkdir -p "$have"
    cp "$wanted"/package*.json "$wanted/.npmrc" "$have"
    quietly npm --prefix "$have" ci --ignore-scripts --no-audit --no-fund || return 1
    echo "$stamp" >"$have/.installed"
}

# ensure_postgres: the programs of a PostgreSQL server; tests/call_log starts one of its own.
ensure_postgres() {
    if command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; then
        return 0
    fi
    say "PostgreSQL is missing, tests/call_log needs it."
    apt_install postgresql \
        || say "warning: its tests will fail. As root: apt-get install postgresql"
}

# ensure_redis: what Ray's control service needs to come back; tests/cluster starts one of its own.
ensure_redis() {
    ! command -v redis-server >/dev/null || return 0
    say "Redis is missing, tests/cluster needs it."
    apt_install redis-server || say "warning: its tests will fail. As root: apt-get install redis-server"
}

# ensure_deploy: the programs that read what is in deploy/; tests/deploy starts them.
ensure_deploy() {
    local missing=()
    { command -v promtool && command -v prometheus; } >/dev/null || missing+=(prometheus)
    { command -v prometheus-alertmanager && command -v amtool; } >/dev/null \
        || missing+=(prometheus-alertmanager)
    command -v caddy >/dev/null || missing+=(caddy)
    command -v systemd-analyze >/dev/null || missing+=(systemd)
    [ "${#missing[@]}" != 0 ] || return 0
    say "${missing[*]} missing, tests/deploy needs it."
    apt_install "${missing[@]}" \
        || say "warning: its tests will fail. As root: apt-get install ${missing[*]}"
}

# ensure_gstreamer: a WebRTC peer that others wrote, with its bindings for the system's own Python.
ensure_gstreamer() {
    local packages=(gir1.2-gst-plugins-bad-1.0 gstreamer1.0-plugins-good gstreamer1.0-plugins-bad
        gstreamer1.0-nice python3-gi)
    ! dpkg-query --show "${packages[@]}" >/dev/null 2>&1 || return 0
    say "GStreamer is missing, tests/server/webrtc needs it."
    apt_install "${packages[@]}" \
        || say "warning: its test will fail. As root: apt-get install ${packages[*]}"
}
