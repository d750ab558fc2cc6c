"""The server's own TLS, and its certificate renewed under a running call."""

from __future__ import annotations

import asyncio
import datetime
import errno
import os
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from websockets.asyncio.client import connect

from tests.server.harness import RunningServer, running_server
from voicepipe.config import ServerSettings
from voicepipe.runtime.errors import ConfigError
from voicepipe.server import tls


def write_certificate(folder: Path, serial: int) -> dict[str, str]:
    """For localhost, signed by itself; the settings that name its files."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(serial)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    for path, data in (("cert", certificate.public_bytes(pem)), ("key", private)):
        new = folder / f"{path}.new"
        new.write_bytes(data)
        new.replace(folder / f"{path}.pem")
    return {"tls_cert": str(folder / "cert.pem"), "tls_key": str(folder / "key.pem")}


def spoil(path: str) -> None:
    Path(path).write_text("no certificate")


async def serial_of(server: RunningServer) -> int:
    """Of the certificate that a new connection is shown."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    _, writer = await asyncio.open_connection("127.0.0.1", server.port, ssl=context)
    shown = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    return x509.load_der_x509_certificate(shown).serial_number


async def test_certificate_is_renewed_under_a_running_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tls, "LOOK_EVERY_S", 0.05)
    files = write_certificate(tmp_path, 1)
    async with running_server(server=files) as server:
        trusted = ssl.create_default_context(cafile=files["tls_cert"])
        url = f"wss://localhost:{server.port}/v1/realtime?model=m"
        async with connect(url, ssl=trusted, host="127.0.0.1") as ws:
            await ws.recv()
            assert await serial_of(server) == 1
            write_certificate(tmp_path, 2)
            async with asyncio.timeout(10):
                while await serial_of(server) != 2:
                    await asyncio.sleep(0.05)
            await ws.send('{"type":"input_audio_buffer.clear"}')
            assert "cleared" in str(await ws.recv())


async def test_certificate_that_cannot_be_read_is_told_and_the_old_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tls, "LOOK_EVERY_S", 0.05)
    files = write_certificate(tmp_path, 1)
    async with running_server(server=files) as server:
        spoil(files["tls_cert"])
        async with asyncio.timeout(10):
            while "the old certificate stays" not in caplog.text:
                await asyncio.sleep(0.05)
        assert await serial_of(server) == 1


async def test_files_whose_rights_are_mended_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Root reads all files, so that they may not be read is made up here."""
    monkeypatch.setattr(tls, "LOOK_EVERY_S", 0.05)
    files = write_certificate(tmp_path, 1)
    key, read = Path(files["tls_key"]), Path.read_bytes

    def by_its_rights(path: Path) -> bytes:
        if path == key and path.stat().st_mode & 0o777 == 0o600:
            raise PermissionError(errno.EACCES, "Permission denied")
        return read(path)

    os.chmod(key, 0o644)
    monkeypatch.setattr(Path, "read_bytes", by_its_rights)
    async with running_server(server=files) as server:
        before = os.umask(0o077)
        write_certificate(tmp_path, 2)
        os.umask(before)
        async with asyncio.timeout(10):
            while "tls_key" not in caplog.text:
                await asyncio.sleep(0.05)
            os.chmod(key, 0o644)
            while await serial_of(server) != 2:
                await asyncio.sleep(0.05)


async def test_a_fault_while_it_is_renewed_is_said_and_it_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Such as a moment in which the system has no room for a thread."""
    monkeypatch.setattr(tls, "LOOK_EVERY_S", 0.05)
    files, renewed = write_certificate(tmp_path, 1), tls._renewed
    failures = iter([RuntimeError("can't start new thread")])

    def failing_once(context: ssl.SSLContext, cert: Path, key: Path) -> str | None:
        for error in failures:
            raise error
        return renewed(context, cert, key)

    monkeypatch.setattr(tls, "_renewed", failing_once)
    async with running_server(server=files) as server:
        write_certificate(tmp_path, 2)
        async with asyncio.timeout(10):
            while await serial_of(server) != 2:
                await asyncio.sleep(0.05)
    assert "can't start new thread" in caplog.text


def test_wrong_files_are_errors_that_name_the_setting(tmp_path: Path) -> None:
    files = write_certificate(tmp_path, 1)
    cert, key = files["tls_cert"], files["tls_key"]
    assert tls.tls_files(ServerSettings()) is None
    with pytest.raises(ConfigError, match=r"server\.tls_key is missing"):
        tls.tls_files(ServerSettings(tls_cert=Path(cert)))
    with pytest.raises(ConfigError, match=r"server\.tls_key: .*No such file"):
        tls.tls_files(ServerSettings(tls_cert=Path(cert), tls_key=tmp_path / "none"))
    with pytest.raises(ConfigError, match="are no certificate and its key"):
        tls.tls_files(ServerSettings(tls_cert=Path(key), tls_key=Path(cert)))
