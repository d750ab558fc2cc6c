# voicepipe in a container: not root, nothing writable but /data, the built-in models inside.
#
#   docker build --build-arg EXTRAS=espeak -t voicepipe .
#   docker run -p 8080:8080 -e VOICEPIPE_SERVER__API_KEY=... -v voicepipe:/data voicepipe
#
# EXTRAS: extras of pyproject.toml, separated by commas. espeak and piper are GPL-3 engines and are in
# the image only if you say so (docs/licences.md). On a GPU: BASE=nvidia/cuda:12.6.3-runtime-ubuntu24.04
# with EXTRAS=piper,vllm.
ARG BASE=python:3.12-slim
FROM ${BASE} AS build
ARG EXTRAS=""
RUN command -v python3 >/dev/null && python3 -c "import venv, ensurepip" 2>/dev/null \
    || (apt-get update && apt-get install -y --no-install-recommends python3 python3-venv \
        && rm -rf /var/lib/apt/lists/*)
RUN python3 -m venv /opt/voicepipe
WORKDIR /src
COPY . .
RUN /opt/voicepipe/bin/pip install --no-cache-dir -c constraints.txt setuptools \
    && /opt/voicepipe/bin/pip install --no-cache-dir --no-build-isolation -c constraints.txt \
        ".${EXTRAS:+[${EXTRAS}]}"

FROM ${BASE}
RUN command -v python3 >/dev/null \
    || (apt-get update && apt-get install -y --no-install-recommends python3 ca-certificates \
        && rm -rf /var/lib/apt/lists/*)
RUN useradd --system --uid 10001 --no-create-home voicepipe \
    && install -d -o 10001 -g 10001 -m 0700 /data
COPY --from=build /opt/voicepipe /opt/voicepipe
ENV PATH=/opt/voicepipe/bin:$PATH \
    XDG_DATA_HOME=/data \
    XDG_CACHE_HOME=/data/cache \
    PYTHONDONTWRITEBYTECODE=1 \
    VOICEPIPE_SERVER__HOST=0.0.0.0 \
    VOICEPIPE_SERVER__DRAIN_S=60
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
# Longer than server.drain_s + server.shutdown_s must be what your orchestrator waits after SIGTERM.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=3s --start-period=120s CMD ["python3", "-c", \
    "import os, urllib.request as web; port = os.environ.get('VOICEPIPE_SERVER__PORT', '8080'); \
    web.urlopen('http://127.0.0.1:' + port + '/healthz', timeout=2)"]
ENTRYPOINT ["voicepipe"]
CMD ["serve"]
