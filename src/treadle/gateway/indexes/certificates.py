"""The certificates that this machine and the user's tools trust."""

import ssl
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

# Files that the user's tools are told to trust.
AUTHORITY_VARIABLES = (
    *("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT"),
    *("NODE_EXTRA_CA_CERTS", "CARGO_HTTP_CAINFO", "npm_config_cafile", "UV_SSL_CERT_FILE"),
)
# Where systems have all their certificates in one file.
_SYSTEM_FILES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


def authority_files(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """The files that variables of the user name."""
    paths = (environment.get(name, "") for name in AUTHORITY_VARIABLES)
    return tuple(dict.fromkeys(Path(path) for path in paths if path))


def trusted_certificates(authorities: Iterable[Path]) -> bytes:
    """The machine's certificates and these, as one file has them. Missing files are left out."""
    parts = [_system_certificates(), *(_read(path) for path in dict.fromkeys(authorities))]
    return b"\n".join(dict.fromkeys(part.strip() for part in parts if part.strip())) + b"\n"


def trust_files(context: ssl.SSLContext, paths: Iterable[Path]) -> None:
    """Trust these files besides; those that are missing or hold no certificate are left out."""
    for path in paths:
        with suppress(OSError):  # also ssl.SSLError
            context.load_verify_locations(path)


def _system_certificates() -> bytes:
    for path in _SYSTEM_FILES:
        if content := _read(Path(path)):
            return content
    loaded = ssl.create_default_context().get_ca_certs(binary_form=True)
    return "".join(map(ssl.DER_cert_to_PEM_cert, loaded)).encode()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
