"""Pulling whole profiles: several files at once, what fails, licences, the hub's own cache."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.file_server import FileServer, serving
from tests.test_models import Notes
from voicepipe.cli.main import app
from voicepipe.models.choose import choose_source
from voicepipe.models.hub_cache import CachedHub, HubCache
from voicepipe.models.lock import Lock
from voicepipe.models.pull import FILES_AT_ONCE, Puller, PullError
from voicepipe.models.registry import Model, Registry
from voicepipe.models.sources import HubSource

DATA = bytes(range(256)) * 400


def make_model(name: str, *files: str, licence: str = "MIT") -> Model:
    return Model.model_validate(
        {
            "name": name,
            "kind": "tts",
            "licence": licence,
            "about": "a test",
            "profiles": ["cpu"],
            "repo": f"org/{name}",
            "revision": "main",
            "files": [{"path": path} for path in files or ("model.bin", "config.json")],
        }
    )


def path_of(model: Model, file: str) -> str:
    return f"/{model.repo}/resolve/main/{file}"


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serving() as running:
        yield running


@pytest.fixture
def hub(server: FileServer) -> Iterator[HubSource]:
    source = HubSource(server.url)
    yield source
    source.client.close()


def serve(server: FileServer, *models: Model) -> None:
    for model in models:
        for file in model.files:
            server.files[path_of(model, file.path)] = file.path.encode() + DATA


def pulled(folder: Path, model: Model) -> bool:
    return all(
        (folder / model.name / file.name).read_bytes() == file.path.encode() + DATA
        for file in model.files
    )


# --- several at once ----------------------------------------------------------------------------


def test_files_come_at_once_but_not_all_at_once(
    server: FileServer, hub: HubSource, tmp_path: Path
) -> None:
    models = [make_model(f"m{n}", *(f"part{k}" for k in range(5))) for n in range(2)]
    serve(server, *models)
    full, lock, now, most = threading.Event(), threading.Lock(), 0, 0

    class Gathering(Notes):
        """Holds every file back until as many are under way as there may be."""

        def file(self, name: str, size: int | None, done: int) -> None:
            nonlocal now, most
            with lock:
                now += 1
                most = max(most, now)
                if now == FILES_AT_ONCE:
                    full.set()
            assert full.wait(20), "they came one after the other"

        def advance(self, name: str, count: int) -> None:
            nonlocal now
            with lock:
                now -= 1

    folders = Puller(hub, tmp_path, Gathering()).pull_all(models)
    assert folders == [tmp_path / "m0", tmp_path / "m1"]
    assert all(pulled(tmp_path, model) for model in models)
    assert all(model.complete for model in Lock.read(tmp_path).models.values())
    assert most == FILES_AT_ONCE


def test_a_model_that_cannot_be_had_does_not_keep_the_others(
    server: FileServer, hub: HubSource, tmp_path: Path
) -> None:
    good, gated, gone = make_model("good"), make_model("gated"), make_model("gone", "*.bin")
    serve(server, good, gated)
    server.status[path_of(gated, "model.bin")] = [403]
    with pytest.raises(PullError) as caught:
        Puller(hub, tmp_path, Notes()).pull_all([gated, gone, good])
    said = str(caught.value)
    assert "gated, gone could not be pulled" in said
    assert "set HF_TOKEN" in said
    assert "404" in said
    assert "voicepipe models pull gated gone --mirror DIR_OR_URL" in said
    lock = Lock.read(tmp_path)
    assert lock.models["good"].complete
    assert pulled(tmp_path, good)
    assert not lock.models["gated"].complete
    assert "gone" not in lock.models


def test_a_hub_that_does_not_answer_is_asked_for_one_model_only(tmp_path: Path) -> None:
    with serving() as closed:
        url = closed.url
    source = HubSource(url)
    waits: list[float] = []
    models = [make_model(f"m{n}", "*.bin") for n in range(5)]
    with pytest.raises(PullError, match="m0 could not be pulled") as caught:
        Puller(source, tmp_path, Notes(), waits.append).pull_all(models)
    source.client.close()
    assert len(waits) == 2
    for word in (url, "--mirror", "HF_ENDPOINT", "HF_HOME"):
        assert word in str(caught.value)


def test_ctrl_c_ends_all_threads_and_keeps_what_came(
    server: FileServer, hub: HubSource, tmp_path: Path
) -> None:
    model = make_model("m", "a", "b", "c", "d", "e", "f")
    serve(server, model)
    server.cut_after[path_of(model, "a")] = [1000]

    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Puller(hub, tmp_path, Notes(), interrupt).pull(model)
    assert not [t.name for t in threading.enumerate() if t.name.startswith("models pull")]
    assert (tmp_path / "m" / "a.part").stat().st_size == 1000
    entry = Lock.read(tmp_path).models.get("m")  # none where no file had come whole yet
    assert entry is None or not entry.complete
    Puller(hub, tmp_path, Notes()).pull(model)
    assert pulled(tmp_path, model)
    assert server.gets(path_of(model, "a"))[-1]["Range"] == "bytes=1000-"


# --- licences -----------------------------------------------------------------------------------


def test_the_command_shows_the_licence_first_and_the_lock_keeps_it(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = [make_model("m0", licence="CC-BY-4.0"), make_model("m1", licence="research only")]
    serve(server, *models)
    monkeypatch.setattr("voicepipe.models.registry.load_registry", lambda: Registry(tuple(models)))
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    command = ["models", "pull", "cpu", "--models-dir", str(tmp_path / "models")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[:2] == [
        "m0: a test; licence: CC-BY-4.0", "m1: a test; licence: research only",
    ]  # fmt: skip
    assert lines[2] == f"m0: ready in {tmp_path / 'models' / 'm0'}"
    locked = Lock.read(tmp_path / "models").models
    assert {name: model.licence for name, model in locked.items()} == {
        "m0": "CC-BY-4.0", "m1": "research only",
    }  # fmt: skip
    assert pulled(tmp_path / "models", models[1])


def test_a_lock_from_before_licences_is_read(tmp_path: Path) -> None:
    old = {"source": "hub", "revision": "main", "complete": True, "files": {}}
    lock = Lock.parse(json.dumps({"version": 1, "models": {"m": old}}), "old")
    assert lock.models["m"].licence == ""


# --- the hub's own cache ------------------------------------------------------------------------


def cached(root: Path, model: Model, files: dict[str, bytes], commit: str = "c0ffee") -> Path:
    """What the hub's tools leave behind: blobs, a snapshot that links to them, a ref."""
    folder = root / f"models--org--{model.name}"
    snapshot = folder / "snapshots" / commit
    for name, data in files.items():
        blob = folder / "blobs" / hashlib.sha256(data).hexdigest()
        blob.parent.mkdir(parents=True, exist_ok=True)
        blob.write_bytes(data)
        (snapshot / name).parent.mkdir(parents=True, exist_ok=True)
        (snapshot / name).symlink_to(blob)
    (folder / "refs").mkdir()
    (folder / "refs" / model.revision).write_text(commit)
    return snapshot


def test_what_the_hubs_cache_has_is_not_fetched_again(
    server: FileServer, hub: HubSource, tmp_path: Path
) -> None:
    model = make_model("m", "model.bin", "config.json", "extra.json")
    serve(server, model)
    here = {name: name.encode() + DATA for name in ("model.bin", "config.json")}
    cached(tmp_path / "hub", model, here)
    source = CachedHub(hub, HubCache(tmp_path / "hub"))
    Puller(source, tmp_path / "models", Notes()).pull(model)
    assert pulled(tmp_path / "models", model)
    assert [path for path, _ in server.requests] == [path_of(model, "extra.json")]
    assert Lock.read(tmp_path / "models").models["m"].files["model.bin"].origin == "source"


def test_a_damaged_file_in_the_cache_is_fetched_from_the_hub(
    server: FileServer, hub: HubSource, tmp_path: Path
) -> None:
    model = make_model("m", "model.bin")
    serve(server, model)
    snapshot = cached(tmp_path / "hub", model, {"model.bin": b"model.bin" + DATA})
    (snapshot / "model.bin").resolve().write_bytes(b"model.bin" + DATA[:-1] + b"?")
    notes = Notes()
    Puller(CachedHub(hub, HubCache(tmp_path / "hub")), tmp_path / "models", notes).pull(model)
    assert pulled(tmp_path / "models", model)
    assert "sha256" in notes.notes[0]


def test_offline_takes_a_whole_snapshot_and_refuses_half_of_one(tmp_path: Path) -> None:
    model = make_model("m", "*.safetensors", "*.json")
    index = json.dumps({"weight_map": {"a": "1.safetensors", "b": "2.safetensors"}}).encode()
    files = {"1.safetensors": DATA, "model.safetensors.index.json": index}
    snapshot = cached(tmp_path / "hf" / "hub", model, files)
    environ = {"HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1"}
    source = choose_source(None, environ)
    assert isinstance(source, CachedHub)
    puller = Puller(source, tmp_path / "models", Notes())
    with pytest.raises(PullError, match=r"is incomplete: it lacks 2\.safetensors"):
        puller.pull(model)
    (snapshot / "2.safetensors").write_bytes(DATA)
    folder = puller.pull(model)
    assert sorted(path.name for path in folder.iterdir()) == sorted([*files, "2.safetensors"])
    with pytest.raises(PullError, match=r"org/other is not in .*hub"):
        puller.pull(make_model("other"))
    source.hub.client.close()


def test_a_hub_out_of_reach_is_replaced_by_its_cache(tmp_path: Path) -> None:
    with serving() as closed:
        url = closed.url
    model = make_model("m", "*.bin")
    cached(tmp_path / "hub", model, {"model.bin": DATA})
    hub = HubSource(url)
    source = CachedHub(hub, HubCache(tmp_path / "hub"))
    folder = Puller(source, tmp_path / "models", Notes()).pull(model)
    hub.client.close()
    assert (folder / "model.bin").read_bytes() == DATA
