"""The certificate authority of a sandbox."""

import socket
import ssl
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest

from treadle.gateway.indexes.authority import CertificateAuthority

SUBJECT = ((("commonName", "index.example"),),)


def handshake(authority: CertificateAuthority, folder: Path, trusted: bytes, host: str) -> object:
    """The subject that a strict client sees; raises ssl.SSLError."""
    server = authority.server_context(("index.example", "127.0.0.1"), folder)
    client = ssl.create_default_context(cadata=trusted.decode())
    client.verify_flags |= ssl.VERIFY_X509_STRICT
    near, far = socket.socketpair()

    def serve() -> None:
        # The client may refuse it.
        with far, suppress(OSError):
            server.wrap_socket(far, server_side=True).close()

    thread = Thread(target=serve)
    thread.start()
    try:
        with near, client.wrap_socket(near, server_hostname=host) as connection:
            seen = connection.getpeercert()
    finally:
        thread.join()
    assert seen is not None
    return seen["subject"]


@pytest.mark.parametrize("host", ["index.example", "127.0.0.1"])
def test_a_strict_client_that_trusts_the_authority_accepts_its_hosts(
    tmp_path: Path, host: str
) -> None:
    authority = CertificateAuthority("test")

    assert handshake(authority, tmp_path, authority.pem, host) == SUBJECT
    # The key of a host is on the disk for no longer than it takes to load it.
    assert list(tmp_path.iterdir()) == []


def test_another_host_is_not_accepted(tmp_path: Path) -> None:
    authority = CertificateAuthority("test")

    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(authority, tmp_path, authority.pem, "evil.example")


def test_the_authority_of_another_sandbox_is_not_accepted(tmp_path: Path) -> None:
    authority, other = CertificateAuthority("test"), CertificateAuthority("test")

    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(authority, tmp_path, other.pem, "index.example")
