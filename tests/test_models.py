"""The registry, pulling over real sockets, the lock, verifying and resolving."""

from __future__ import annotations

import fcntl
import hashlib
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.file_server import FileServer, serving
from voicepipe.config import Settings
from voicepipe.config.loading import load_settings, profile_names
from voicepipe.models.choose import choose_source, hub_home
from voicepipe.models.fetch import FRUITLESS_TRIES
from voicepipe.models.hub_cache import CachedHub
from voicepipe.models.lock import LOCK_NAME, Lock
from voicepipe.models.pull import Puller, PullError
from voicepipe.models.registry import Model, ModelFile, load_registry, packaged_models_dir
from voicepipe.models.resolve import default_models_dir, is_present, model_path
from voicepipe.models.sources import FolderSource, HubSource, MirrorSource
from voicepipe.models.verify import verify
from voicepipe.runtime.errors import ConfigError, EngineUnavailable

BIG = random.Random(7).randbytes(3_000_000)
SMALL = b'{"a": 1}'
BIG_PATH = "/org/thing/resolve/v1/model.bin"
SMALL_PATH = "/org/thing/resolve/v1/sub/config.json"


class Notes:
    """A Progress that remembers."""

    def __init__(self) -> None:
        self.starts: list[tuple[str, int]] = []
        self.bytes = 0
        self.notes: list[str] = []

    def file(self, name: str, size: int | None, done: int) -> None:
        self.starts.append((name, done))

    def advance(self, name: str, count: int) -> None:
        self.bytes += count

    def note(self, text: str) -> None:
        self.notes.append(text)


def make_model(*, known: bool = False, patterns: bool = False) -> Model:
    big: dict[str, object] = {"path": "model.bin"}
    if known:
        big |= {"size": len(BIG), "sha256": hashlib.sha256(BIG).hexdigest()}
    files = [big, {"path": "sub/config.json", "as": "config.json"}]
    if patterns:
        files = [{"path": "*.safetensors"}, {"path": "merges.txt"}]
    return Model.model_validate(
        {
            "name": "thing",
            "kind": "asr",
            "licence": "MIT",
            "about": "a test",
            "repo": "org/thing",
            "revision": "v1",
            "files": files,
        }
    )


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serving() as running:
        running.files = {BIG_PATH: BIG, SMALL_PATH: SMALL}
        yield running


class Pulling:
    """A puller into a fresh folder that waits without waiting."""

    def __init__(self, server: FileServer, folder: Path) -> None:
        self.folder = folder
        self.notes = Notes()
        self.waits: list[float] = []
        self.source = HubSource(server.url)
        self.puller = Puller(self.source, folder, self.notes, self.waits.append)

    def pull(self, model: Model) -> Path:
        return self.puller.pull(model)


@pytest.fixture
def pulling(server: FileServer, tmp_path: Path) -> Iterator[Pulling]:
    made = Pulling(server, tmp_path / "models")
    yield made
    made.source.client.close()


def whole(folder: Path) -> bool:
    files = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    return files == {"model.bin": BIG, "config.json": SMALL}


# --- registry -----------------------------------------------------------------------------------


def test_the_registry_covers_every_model_a_profile_names() -> None:
    registry = load_registry()
    for profile in profile_names():
        settings = load_settings(profile, None, {}, {})
        if settings.asr.engine == "faster_whisper":
            assert profile in registry.get(settings.asr.model).profiles
        if settings.llm.engine != "simulated":
            assert profile in registry.get(settings.llm.model).profiles
        if settings.tts.engine == "piper":
            assert profile in registry.get(settings.tts.model).profiles


def test_no_profile_pulls_a_model_that_forbids_commercial_use() -> None:
    for model in load_registry().models.values():
        assert not (model.profiles and "research only" in model.licence), model.name


def test_select_takes_names_and_profiles_and_names_the_nearest() -> None:
    registry = load_registry()
    assert [m.name for m in registry.select("whisper-base.en")] == ["whisper-base.en"]
    assert {m.kind for m in registry.select("cpu")} == {"asr", "llm", "tts"}
    with pytest.raises(ConfigError, match=r"did you mean whisper-base\.en\?"):
        registry.select("whisper-base-en")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ('path = "../x"', "must stay inside"),
        ('path = "/etc/x"', "must stay inside"),
        ('path = "x", sha256 = "abc"', "sha256"),
        ('path = "x", sise = 1', "sise"),
    ],
)
def test_a_wrong_registry_entry_is_named(change: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "registry.toml"
    path.write_text(
        '[[model]]\nname = "m1"\nkind = "asr"\nlicence = "MIT"\nabout = "x"\nrepo = "a/b"\n'
        f"files = [{{ {change} }}]\n"
    )
    with pytest.raises(ConfigError, match=said) as caught:
        load_registry(path)
    assert "model m1" in str(caught.value)


# --- pulling ------------------------------------------------------------------------------------


def test_a_pull_fetches_everything_and_records_checksums(pulling: Pulling) -> None:
    folder = pulling.pull(make_model())
    assert whole(folder)
    locked = Lock.read(pulling.folder).models["thing"]
    assert locked.complete
    assert locked.files["model.bin"].sha256 == hashlib.sha256(BIG).hexdigest()
    assert {file.origin for file in locked.files.values()} == {"recorded"}
    assert pulling.notes.bytes == len(BIG) + len(SMALL)
    assert [f.state for f in verify(pulling.folder)] == ["ok", "ok"]


def test_a_second_pull_asks_the_server_nothing(pulling: Pulling, server: FileServer) -> None:
    pulling.pull(make_model())
    server.requests.clear()
    pulling.pull(make_model())
    assert server.requests == []
    assert "already there" in pulling.notes.notes[-1]


def test_a_registry_that_has_moved_on_is_followed(pulling: Pulling, server: FileServer) -> None:
    folder = pulling.pull(make_model())
    moved = make_model().model_copy(update={"revision": "v2"})
    server.files = {path.replace("/v1/", "/v2/"): b for path, b in server.files.items()}
    del server.files["/org/thing/resolve/v2/sub/config.json"]
    with pytest.raises(PullError, match="404"):  # it breaks off, with one of the files here
        Puller(pulling.source, pulling.folder, Notes(), at_once=1).pull(moved)
    server.files["/org/thing/resolve/v2/sub/config.json"] = b'{"a": 2}'  # as long as before
    pulling.pull(moved)
    assert (folder / "config.json").read_bytes() == b'{"a": 2}'
    extra = ModelFile(path="words.txt")
    server.files["/org/thing/resolve/v2/words.txt"] = b"one"
    server.requests.clear()
    pulling.pull(moved.model_copy(update={"files": (*moved.files, extra)}))
    assert [path for path, _ in server.requests] == ["/org/thing/resolve/v2/words.txt"]
    assert (folder / "words.txt").read_bytes() == b"one"


def test_a_cut_connection_goes_on_where_it_stopped(pulling: Pulling, server: FileServer) -> None:
    server.cut_after[BIG_PATH] = [1_000_000, 700_000]
    assert whole(pulling.pull(make_model(known=True)))
    asked = [headers.get("Range") for headers in server.gets(BIG_PATH)]
    assert asked[0] is None
    begins = [int(text.removeprefix("bytes=").removesuffix("-")) for text in asked[1:] if text]
    assert len(begins) == 2
    assert 0 < begins[0] < begins[1]
    assert pulling.notes.bytes - len(SMALL) == len(BIG)  # no byte came twice


def test_a_pull_goes_on_in_another_process_run(
    pulling: Pulling, server: FileServer, tmp_path: Path
) -> None:
    server.cut_after[BIG_PATH] = [1_500_000]
    server.status[BIG_PATH] = []
    interrupted = Puller(pulling.source, pulling.folder, Notes(), _interrupt)
    with pytest.raises(KeyboardInterrupt):
        interrupted.pull(make_model(known=True))
    assert (pulling.folder / "thing" / "model.bin.part").stat().st_size > 0
    assert not (pulling.folder / "thing" / "model.bin").exists()
    assert whole(pulling.pull(make_model(known=True)))
    assert "Range" in server.gets(BIG_PATH)[-1]


def _interrupt(_seconds: float) -> None:
    raise KeyboardInterrupt


def test_a_file_that_changed_meanwhile_starts_over(pulling: Pulling, server: FileServer) -> None:
    server.cut_after[BIG_PATH] = [1_500_000]
    with pytest.raises(KeyboardInterrupt):
        Puller(pulling.source, pulling.folder, Notes(), _interrupt).pull(make_model())
    server.files[BIG_PATH] = BIG[::-1]
    folder = pulling.pull(make_model())
    assert (folder / "model.bin").read_bytes() == BIG[::-1]


@pytest.mark.parametrize("feature", ["ranges", "etags"])
def test_a_server_that_cannot_resume_still_serves(
    feature: str, pulling: Pulling, server: FileServer
) -> None:
    setattr(server, feature, False)
    server.cut_after[BIG_PATH] = [1_000_000]
    assert whole(pulling.pull(make_model(known=True)))


def test_a_part_longer_than_the_file_starts_over(pulling: Pulling, server: FileServer) -> None:
    server.cut_after[BIG_PATH] = [1_500_000]
    with pytest.raises(KeyboardInterrupt):
        Puller(pulling.source, pulling.folder, Notes(), _interrupt).pull(make_model(known=True))
    with (pulling.folder / "thing" / "model.bin.part").open("ab") as part:
        part.write(b"x" * 4_000_000)
    assert whole(pulling.pull(make_model(known=True)))


def test_corrupt_data_is_fetched_again_then_refused(pulling: Pulling, server: FileServer) -> None:
    server.corrupt[BIG_PATH] = 1
    assert whole(pulling.pull(make_model(known=True)))
    shutil.rmtree(pulling.folder)
    server.corrupt[BIG_PATH] = 2
    with pytest.raises(PullError, match=r"sha256 is .* expected .* twice"):
        pulling.pull(make_model(known=True))
    assert not list((pulling.folder / "thing").glob("model.bin*"))


def test_the_hubs_own_checksum_counts_where_ours_is_unknown(
    pulling: Pulling, server: FileServer
) -> None:
    digest = hashlib.sha256(BIG).hexdigest()
    server.extra_headers[BIG_PATH] = {"X-Linked-Etag": f'"{digest}"'}
    pulling.pull(make_model())
    assert Lock.read(pulling.folder).models["thing"].files["model.bin"].origin == "source"
    shutil.rmtree(pulling.folder)
    server.extra_headers[BIG_PATH] = {"X-Linked-Etag": f'"{"0" * 64}"'}
    with pytest.raises(PullError, match="expected 0000"):
        pulling.pull(make_model())


def test_a_busy_server_is_asked_again_with_growing_pauses(
    pulling: Pulling, server: FileServer
) -> None:
    server.status[BIG_PATH] = [503, 500, 429]
    assert whole(pulling.pull(make_model()))
    assert pulling.waits == [0.5, 1.0, 2.0]


def test_a_dead_server_is_given_up_after_bounded_tries(
    pulling: Pulling, server: FileServer
) -> None:
    server.status[BIG_PATH] = [503] * 100
    with pytest.raises(PullError, match="--mirror") as caught:
        pulling.pull(make_model())
    assert len(server.gets(BIG_PATH)) == FRUITLESS_TRIES
    assert server.url in str(caught.value)


def test_nobody_listening_is_explained(tmp_path: Path) -> None:
    with serving() as closed:
        url = closed.url
    source = HubSource(url)
    waits: list[float] = []
    with pytest.raises(PullError, match="copy\n  a models folder"):
        Puller(source, tmp_path, Notes(), waits.append).pull(make_model())
    source.client.close()
    tries = FRUITLESS_TRIES - 1
    assert tries <= len(waits) <= 2 * tries  # two files at once; one that gives up stops the other


@pytest.mark.parametrize(("code", "said"), [(404, "404"), (401, "HF_TOKEN"), (403, "HF_TOKEN")])
def test_a_refusal_is_final(code: int, said: str, pulling: Pulling, server: FileServer) -> None:
    server.status[BIG_PATH] = [code]
    with pytest.raises(PullError, match=said):
        pulling.pull(make_model())
    assert pulling.waits == []


def test_a_full_disk_is_noticed_before_anything_is_fetched(
    pulling: Pulling, server: FileServer
) -> None:
    huge = make_model().model_copy(update={"about_mb": 10**9})
    with pytest.raises(PullError, match="free; make room"):
        pulling.pull(huge)
    assert server.requests == []


def test_two_pulls_into_one_folder_do_not_mix(pulling: Pulling) -> None:
    pulling.folder.mkdir()
    with (pulling.folder / ".pull.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(PullError, match="another"):
            pulling.pull(make_model())


def test_a_folder_that_cannot_be_written_is_named(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    source = HubSource(server.url)
    with pytest.raises(PullError, match="cannot be written"):
        Puller(source, tmp_path / "file" / "models", Notes()).pull(make_model())
    source.client.close()


def test_patterns_are_resolved_by_the_hubs_listing(pulling: Pulling, server: FileServer) -> None:
    base = "/org/thing/resolve/v1/"
    names = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")
    server.files = {base + name: name.encode() * 100 for name in (*names, "merges.txt", "x.bin")}
    server.add_tree("org/thing", "v1")
    folder = pulling.pull(make_model(patterns=True))
    assert sorted(p.name for p in folder.iterdir()) == ["merges.txt", *names]
    files = Lock.read(pulling.folder).models["thing"].files
    assert files[names[0]].origin == "registry"  # the listing's checksum, held to
    assert files["merges.txt"].origin == "recorded"


def test_a_pattern_without_a_match_is_an_error(pulling: Pulling, server: FileServer) -> None:
    server.add_tree("org/thing", "v1")
    with pytest.raises(PullError, match=r"lists no file of thing that matches \*\.safetensors"):
        pulling.pull(make_model(patterns=True))


@pytest.mark.parametrize(
    "answer",
    [b"<html>Please sign in</html>", b'{"error": "x"}', b"null", b'[{"type": "file"}]'],
)
def test_a_listing_that_is_none_is_explained(
    answer: bytes, pulling: Pulling, server: FileServer
) -> None:
    server.files["/api/models/org/thing/tree/v1"] = answer
    with pytest.raises(PullError, match="/tree/v1: its answer is no listing of files"):
        pulling.pull(make_model(patterns=True))


# --- mirrors ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["folder", "web"])
def test_a_copied_models_folder_serves_as_mirror(
    kind: str, pulling: Pulling, server: FileServer, tmp_path: Path
) -> None:
    original = pulling.pull(make_model())
    source: FolderSource | MirrorSource = FolderSource(pulling.folder)
    if kind == "web":
        server.files = {
            f"/m/{p.relative_to(pulling.folder)}": p.read_bytes()
            for p in pulling.folder.rglob("*")
            if p.is_file()
        }
        source = MirrorSource(server.url + "/m/")
    copy = Puller(source, tmp_path / "copy", Notes(), pulling.waits.append).pull(make_model())
    if isinstance(source, MirrorSource):
        source.client.close()
    assert whole(copy)
    assert whole(original)


def test_a_web_mirror_without_a_lock_serves_files_known_by_name(
    server: FileServer, tmp_path: Path
) -> None:
    server.files = {"/thing/model.bin": BIG, "/thing/config.json": SMALL}
    source = MirrorSource(server.url)
    assert whole(Puller(source, tmp_path, Notes()).pull(make_model()))
    source.client.close()


def test_the_mirrors_word_is_checked(pulling: Pulling, server: FileServer, tmp_path: Path) -> None:
    pulling.pull(make_model())
    lock = (pulling.folder / LOCK_NAME).read_bytes()
    server.files = {
        f"/{LOCK_NAME}": lock,
        "/thing/model.bin": BIG[:-1] + b"?",
        "/thing/config.json": SMALL,
    }
    source = MirrorSource(server.url)
    with pytest.raises(PullError, match="sha256"):
        Puller(source, tmp_path / "copy", Notes(), pulling.waits.append).pull(make_model())
    source.client.close()


def test_the_source_is_chosen_by_mirror_and_environment(tmp_path: Path) -> None:
    environ = {"HF_ENDPOINT": "http://hub.test/", "HF_TOKEN": "t0k", "HF_HOME": str(tmp_path)}
    source = choose_source(None, environ)
    assert isinstance(source, CachedHub)
    assert source.where == "http://hub.test"
    assert source.cache.root == tmp_path / "hub"
    assert source.hub.client.headers["Authorization"] == "Bearer t0k"
    source.hub.client.close()
    web = choose_source("http://mirror.test", environ)
    assert isinstance(web, MirrorSource)
    assert "Authorization" not in web.client.headers
    web.client.close()
    assert isinstance(choose_source(str(tmp_path), {}), FolderSource)


def test_the_token_and_the_cache_lie_where_the_hubs_tools_put_them(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("fr0m_file\n")
    source = choose_source(None, {"HF_HOME": str(tmp_path), "HF_HUB_CACHE": "/else/where"})
    assert isinstance(source, CachedHub)
    assert source.cache.root == Path("/else/where")
    assert source.hub.client.headers["Authorization"] == "Bearer fr0m_file"
    source.hub.client.close()
    assert hub_home({"XDG_CACHE_HOME": "/c"}) == Path("/c/huggingface")
    assert hub_home({}) == Path.home() / ".cache" / "huggingface"


# --- verify and resolve -------------------------------------------------------------------------


def test_verify_finds_missing_changed_and_incomplete(pulling: Pulling) -> None:
    folder = pulling.pull(make_model())
    (folder / "model.bin").write_bytes(BIG[:-1] + b"?")
    (folder / "config.json").unlink()
    states = {f.file: f.state for f in verify(pulling.folder)}
    assert states == {"model.bin": "changed", "config.json": "missing"}
    lock = Lock.read(pulling.folder)
    lock.models["thing"].complete = False
    lock.write(pulling.folder)
    assert next(verify(pulling.folder)).state == "incomplete"
    assert list(verify(pulling.folder, frozenset({"other"}))) == []


def test_a_damaged_lock_is_named(tmp_path: Path) -> None:
    (tmp_path / LOCK_NAME).write_text('{"version": 2}')
    with pytest.raises(ConfigError, match="damaged"):
        Lock.read(tmp_path)


def test_model_path_knows_names_and_paths(pulling: Pulling, tmp_path: Path) -> None:
    settings = Settings(models_dir=pulling.folder)
    with pytest.raises(EngineUnavailable, match="voicepipe models pull whisper") as caught:
        model_path("whisper-base.en", settings)
    assert caught.value.stage == "asr"
    with pytest.raises(ConfigError, match="did you mean"):
        model_path("whisper-base-en", settings)
    with pytest.raises(ConfigError, match="does not exist"):
        model_path(str(tmp_path / "gone"), settings)
    with pytest.raises(ConfigError, match="there is no model ''"):
        model_path("", settings)
    assert model_path(str(tmp_path), settings) == tmp_path


def test_model_path_of_a_pulled_model_is_its_entry(pulling: Pulling) -> None:
    from voicepipe.models.registry import Registry

    model = make_model().model_copy(update={"entry": "config.json"})
    registry, settings = Registry((model,)), Settings(models_dir=pulling.folder)
    pulling.pull(model)
    assert model_path("thing", settings, registry) == pulling.folder / "thing" / "config.json"
    lock = Lock.read(pulling.folder)
    lock.models["thing"].complete = False
    lock.write(pulling.folder)
    assert not is_present(model, pulling.folder)


def test_models_live_in_the_users_data_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert default_models_dir() == Path("/data/voicepipe/models")
    monkeypatch.setenv("XDG_DATA_HOME", "relative")  # the standard: ignore it
    assert default_models_dir() == Path.home() / ".local/share/voicepipe/models"
    assert (packaged_models_dir() / "registry.toml").is_file()


def test_a_lock_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / LOCK_NAME).write_bytes(b"\xff\xfe{")
    with pytest.raises(ConfigError, match=f"{LOCK_NAME} is damaged"):
        Lock.read(tmp_path)
