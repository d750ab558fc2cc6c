"""What is shipped to run voicepipe elsewhere: read by the programs that will read it, where Debian
has them. The image is built and started by `.ci/image`."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import ssl
import subprocess
from pathlib import Path
from typing import Any

import httpx
import yaml  # type: ignore[import-untyped]
from websockets.asyncio.client import connect

from tests.quiet_import import imported
from tests.server.harness import running_server
from tests.serving import free_port
from voicepipe.cluster.listing import PATH
from voicepipe.config.loading import load_settings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
SHUTDOWN_S = 5.0


def settings_of(environment: dict[str, Any]) -> Any:
    """They are settings that exist, with values that they may have."""
    ours = {name: str(v) for name, v in environment.items() if name.startswith("VOICEPIPE_")}
    return load_settings(environ={name: re.sub(r"\$\{.*?\}", "x", v) for name, v in ours.items()})


def test_unit_is_hardened() -> None:
    unit = DEPLOY / "systemd" / "voicepipe.service"
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=30", str(unit)],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-300:]
    text = unit.read_text()
    drain = float(re.findall(r"DRAIN_S=(\d+)", text)[0])
    assert float(re.findall(r"TimeoutStopSec=(\d+)", text)[0]) > drain + SHUTDOWN_S


def test_pods_are_probed_and_may_finish_their_calls() -> None:
    documents = list(yaml.safe_load_all((DEPLOY / "kubernetes" / "voicepipe.yaml").read_text()))
    assert [d["kind"] for d in documents] == ["Deployment", "Service", "PodDisruptionBudget"]
    pod = documents[0]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    plain = {e["name"]: e["value"] for e in container["env"] if "value" in e}
    server = settings_of(plain).server
    stopping_s = server.lame_duck_s + server.drain_s + SHUTDOWN_S
    assert pod["terminationGracePeriodSeconds"] > stopping_s
    probe = container["readinessProbe"]
    assert server.lame_duck_s >= probe["periodSeconds"] * probe.get("failureThreshold", 3)
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert container["livenessProbe"]["httpGet"]["path"] == "/healthz", "200 while it drains"
    assert container["securityContext"]["readOnlyRootFilesystem"]
    labels = documents[0]["spec"]["template"]["metadata"]["labels"]
    assert (
        documents[1]["spec"]["selector"]
        == labels
        == documents[2]["spec"]["selector"]["matchLabels"]
    )


def test_pools_are_deployed_by_the_function_that_there_is() -> None:
    plain = yaml.safe_load((DEPLOY / "ray" / "serve.yaml").read_text())
    service = yaml.safe_load((DEPLOY / "kubernetes" / "ray-pools.yaml").read_text())
    kuberay = yaml.safe_load(service["spec"]["serveConfigV2"])
    schema = imported("ray.serve.schema").ServeDeploySchema
    for config in (plain, kuberay):
        schema.model_validate(config)
        (application,) = config["applications"]
        module, _, function = application["import_path"].partition(":")
        assert (module, function) == ("voicepipe.server.ray_pools", "build")
        assert f"def {function}(" in (ROOT / (module.replace(".", "/") + ".py")).read_text()
        assert application["route_prefix"] == PATH
    cluster = service["spec"]["rayClusterConfig"]
    assert f"ray=={cluster['rayVersion']}" in (ROOT / "constraints.txt").read_text()
    (workers,) = cluster["workerGroupSpecs"]
    for group in (cluster["headGroupSpec"], workers):
        (container,) = group["template"]["spec"]["containers"]
        told = {entry["name"]: entry for entry in container["env"]}
        assert told["RAY_USAGE_STATS_ENABLED"]["value"] == "0"
        assert "secretKeyRef" in told["VOICEPIPE_CLUSTER__KEY"]["valueFrom"]
    grace_s = workers["template"]["spec"]["terminationGracePeriodSeconds"]
    assert grace_s > settings_of({}).cluster.drain_s + 64  # and a successor's start


def test_compose_believes_a_forwarded_address_where_only_caddy_gets_to_the_server() -> None:
    server = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["voicepipe"]
    assert server["environment"]["FORWARDED_ALLOW_IPS"] == "*"
    assert all(port.startswith("127.0.0.1:") for port in server["ports"])


def test_compose_names_settings_and_files_that_exist() -> None:
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    service = compose["services"]["voicepipe"]
    environment = {**service["environment"]}
    environment["VOICEPIPE_CALLS__ENABLED"] = "false"
    environment["VOICEPIPE_CALLS__DATABASE"] = ""
    environment["VOICEPIPE_WEBRTC__ICE_SERVERS"] = "[]"
    settings = settings_of(environment)
    assert settings.server.api_key is not None
    assert ":?" in service["environment"]["VOICEPIPE_SERVER__API_KEY"], "an unset key is an error"
    for other in compose["services"].values():
        for volume in other.get("volumes", ()):
            source = volume.split(":")[0]
            assert source in compose["volumes"] or (ROOT / source).exists()
    drain = float(re.findall(r"DRAIN_S=(\d+)", (ROOT / "Dockerfile").read_text())[0])
    assert float(service["stop_grace_period"].removesuffix("s")) > drain + SHUTDOWN_S


def test_image_runs_as_nobody_and_tells_its_health() -> None:
    text = (ROOT / "Dockerfile").read_text()
    final = text.split("FROM ")[-1]
    assert "USER 10001" in final
    assert "/healthz" in final
    assert 'ARG EXTRAS=""' in text, "GPL engines only where somebody asks for them"
    settings_of(dict(re.findall(r"(VOICEPIPE_\w+)=(\S+)", final)))


async def test_caddyfile_brings_tls_before_a_call(tmp_path: Path) -> None:
    port = free_port()
    file = tmp_path / "Caddyfile"
    given = (DEPLOY / "caddy" / "Caddyfile").read_text()
    file.write_text(
        "{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n" + given
    )
    async with running_server(server={"api_key": "k3y"}) as server:
        variables = {
            "VOICEPIPE_HOST": f"https://localhost:{port}",
            "VOICEPIPE_UPSTREAM": f"127.0.0.1:{server.port}",
            "XDG_DATA_HOME": str(tmp_path),
            "HOME": str(tmp_path),
        }
        caddy = await asyncio.create_subprocess_exec(
            *("caddy", "run", "--adapter", "caddyfile", "--config", str(file)),
            env={**os.environ, **variables},
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            base = f"https://localhost:{port}"
            key = {"Authorization": "Bearer k3y"}
            async with httpx.AsyncClient(base_url=base, verify=context, trust_env=False) as http:
                async with asyncio.timeout(30):
                    while True:
                        with contextlib.suppress(httpx.TransportError):
                            if (await http.get("/healthz")).status_code == 200:
                                break
                        await asyncio.sleep(0.2)
                assert (await http.get("/metrics", headers=key)).status_code == 404
            url = f"wss://localhost:{port}/v1/realtime?model=m"
            async with connect(url, ssl=context, additional_headers=key) as ws:
                assert "session.created" in str(await ws.recv())
        finally:
            caddy.terminate()
            await caddy.wait()
