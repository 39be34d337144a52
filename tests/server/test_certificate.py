"""A certificate that is renewed while the server runs."""

import os
import pickle
import signal
import socket
import ssl
import subprocess
from pathlib import Path

import httpx2
import pytest

from ragstone.core.errors import ConfigError
from ragstone.server.certificate import Certificate
from tests.patience import HANG, until
from tests.processes import family, state
from tests.server.conftest import Kept, Served, serve_program


def make_pair(folder: Path, kind: str) -> None:
    """A certificate for this machine, signed by itself, and its key: of RSA, or of an elliptic curve."""
    folder.mkdir()
    algorithm = ["rsa:2048"] if kind == "rsa" else ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", *algorithm, "-nodes", "-keyout", folder / "tls.key",
         "-out", folder / "tls.crt", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
        check=True, capture_output=True,
    )  # fmt: skip


def read_certificate(served: Served, name: str | None) -> bytes:
    """The certificate that a client is shown which asks for a name, or for none."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        socket.create_connection(("127.0.0.1", served.port), HANG) as plain,
        context.wrap_socket(plain, server_hostname=name) as sock,
    ):
        return sock.getpeercert(binary_form=True) or b""


def read_pair(folder: Path) -> bytes:
    return ssl.PEM_cert_to_DER_cert((folder / "tls.crt").read_text("ascii"))


def swap(folder: Path, target: str) -> None:
    """Let the link lead elsewhere in one step, as orchestrators do."""
    (folder / "next").symlink_to(target)
    os.replace(folder / "next", folder / "data")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_renewed_certificate_is_shown_without_a_restart(kept: Kept, tmp_path: Path, workers: int) -> None:
    make_pair(tmp_path / "one", "rsa")
    make_pair(tmp_path / "two", "ec")
    (tmp_path / "data").symlink_to("one")
    tls = {
        "RAGSTONE_SERVE__KEY_FILE": str(tmp_path / "data" / "tls.key"),
        "RAGSTONE_SERVE__CERT_FILE": str(tmp_path / "data" / "tls.crt"),
        "RAGSTONE_SERVE__WORKERS": str(workers),
    }
    with serve_program("--store", kept.folder / "store", **tls) as served:
        trusting = httpx2.Client(verify=False, timeout=HANG)  # whose connection stays open
        until(lambda: trusting.get(f"{served.url}/v1/ready").status_code == 200)
        assert read_certificate(served, "localhost") == read_certificate(served, None) == read_pair(tmp_path / "one")
        swap(tmp_path, "two")
        new = read_pair(tmp_path / "two")
        until(lambda: all(read_certificate(served, name) == new for name in ("localhost", None) * 10))
        assert trusting.get(f"{served.url}/v1/live").status_code == 200
        trusting.close()


def test_a_killed_process_is_replaced_while_the_certificate_does_not_fit(kept: Kept, tmp_path: Path) -> None:
    for name in ("one", "two"):
        make_pair(tmp_path / name, "rsa")
    (tmp_path / "data").symlink_to("one")
    tls = {
        "RAGSTONE_SERVE__KEY_FILE": str(tmp_path / "data" / "tls.key"),
        "RAGSTONE_SERVE__CERT_FILE": str(tmp_path / "data" / "tls.crt"),
    }
    with serve_program("--store", kept.folder / "store", "--workers", "2", **tls) as served:

        def workers() -> set[int]:
            found = [pid for pid in family(served.process.pid) if state(pid) not in ("", "Z")]
            return {pid for pid in found if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text("utf-8")}

        def said(what: str) -> int:
            return sum(what in line for line in served.lines)

        until(lambda: len(workers()) == 2)
        first = read_pair(tmp_path / "one")
        assert read_certificate(served, None) == first
        (tmp_path / "one" / "tls.crt").write_text("half of it is wri")
        until(lambda: said("the certificate was not loaded again") == 2)  # once by each
        former = workers()
        for pid in former:
            os.kill(pid, signal.SIGKILL)
        until(lambda: said("the certificate was not loaded again") == 4)
        assert len(workers() - former) == 2
        assert read_certificate(served, None) == first
        swap(tmp_path, "two")
        until(lambda: all(read_certificate(served, None) == read_pair(tmp_path / "two") for _ in range(10)))
    assert "Traceback" not in "".join(served.lines)


def test_a_renewed_certificate_is_the_one_that_fitted_last(tmp_path: Path) -> None:
    for name in ("one", "two"):
        make_pair(tmp_path / name, "rsa")
    (tmp_path / "data").symlink_to("one")
    certificate = Certificate(str(tmp_path / "data" / "tls.crt"), str(tmp_path / "data" / "tls.key"))
    certificate.load()
    swap(tmp_path, "two")
    certificate.refresh()
    renewed = read_pair(tmp_path / "two")
    (tmp_path / "two" / "tls.key").write_text("half of it is wri")
    certificate.refresh()
    with pickle.loads(pickle.dumps(certificate)).open_fitting() as (cert, key):  # as a new process gets it
        assert ssl.PEM_cert_to_DER_cert(Path(cert).read_text("ascii")) == renewed
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key)
    assert not Path(key).exists()


def test_a_certificate_that_does_not_fit_leaves_the_former_and_health_says_so(kept: Kept, tmp_path: Path) -> None:
    for name in ("one", "two", "mixed"):
        make_pair(tmp_path / name, "rsa")
    (tmp_path / "mixed" / "tls.key").write_bytes((tmp_path / "two" / "tls.key").read_bytes())
    (tmp_path / "data").symlink_to("one")
    tls = {
        "RAGSTONE_SERVE__KEY_FILE": str(tmp_path / "data" / "tls.key"),
        "RAGSTONE_SERVE__CERT_FILE": str(tmp_path / "data" / "tls.crt"),
    }
    with (
        serve_program("--store", kept.folder / "store", **tls) as served,
        httpx2.Client(verify=False, timeout=HANG, base_url=served.url) as client,
    ):
        until(lambda: client.get("/v1/health").json()["status"] == "healthy")
        swap(tmp_path, "mixed")
        until(lambda: client.get("/v1/health").json()["status"] == "degraded")
        assert "the key is that of another certificate" in client.get("/v1/health").json()["certificate"]
        until(lambda: "the certificate was not loaded again" in "".join(served.lines))
        assert read_certificate(served, "localhost") == read_pair(tmp_path / "one")
        swap(tmp_path, "two")
        until(lambda: client.get("/v1/health").json()["status"] == "healthy")
        assert read_certificate(served, "localhost") == read_pair(tmp_path / "two")


def test_a_file_that_goes_while_it_is_loaded_is_a_problem_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_pair(tmp_path / "one", "ec")
    certificate = Certificate(str(tmp_path / "one" / "tls.crt"), str(tmp_path / "one" / "tls.key"))
    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", raise_missing)
    with pytest.raises(ConfigError, match="cannot be used"):
        certificate.load()


def raise_missing(*_: object, **__: object) -> None:
    raise FileNotFoundError(2, "No such file or directory")
