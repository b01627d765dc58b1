"""A certificate authority of a sandbox's own, for the hosts that Treadle answers for inside."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from secrets import token_hex
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.hashes import SHA256

# Clocks inside and outside are the same, but a run may be suspended for long.
_VALIDITY = timedelta(days=365)
_BEFORE = timedelta(days=1)


class CertificateAuthority:
    """Its key is in this object and nowhere else."""

    def __init__(self, name: str, *, now: datetime | None = None) -> None:
        # Slow to import; few commands need it.
        from cryptography import x509
        from cryptography.hazmat.primitives.asymmetric import ec

        self._now = now or datetime.now(UTC)
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._subject = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, name)])
        self._certificate = self._sign_authority()
        self._contexts: dict[tuple[str, ...], ssl.SSLContext] = {}

    @property
    def pem(self) -> bytes:
        """The certificate, which programs inside are to trust."""
        from cryptography.hazmat.primitives.serialization import Encoding

        return self._certificate.public_bytes(Encoding.PEM)

    def server_context(self, hosts: tuple[str, ...], folder: Path) -> ssl.SSLContext:
        """What a server of these hosts shows. `folder` is private, and holds the key of the hosts,
        encrypted, for a moment: there is no other way to load it."""
        if hosts not in self._contexts:
            self._contexts[hosts] = self._make_context(hosts, folder)
        return self._contexts[hosts]

    def _make_context(self, hosts: tuple[str, ...], folder: Path) -> ssl.SSLContext:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ec

        key, password = ec.generate_private_key(ec.SECP256R1()), token_hex()
        pem = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(password.encode()),
        )
        certificate = self._sign_hosts(key, hosts).public_bytes(serialization.Encoding.PEM)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        with NamedTemporaryFile(dir=folder, prefix="host-", suffix=".pem") as file:
            file.write(pem + certificate)
            file.flush()
            context.load_cert_chain(file.name, password=password)
        return context

    def _sign_authority(self) -> "x509.Certificate":
        from cryptography import x509

        builder = self._builder(self._key, self._subject)
        builder = builder.add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        usage = _key_usage("key_cert_sign", "crl_sign")
        return builder.add_extension(usage, critical=True).sign(self._key, _hash())

    def _sign_hosts(
        self, key: "EllipticCurvePrivateKey", hosts: tuple[str, ...]
    ) -> "x509.Certificate":
        from cryptography import x509

        # A common name is limited to 64 characters, and programs read the alternative names.
        subject = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, hosts[0][:64])])
        builder = self._builder(key, subject)
        for extension, critical in (
            (x509.BasicConstraints(ca=False, path_length=None), True),
            (_key_usage("digital_signature"), True),
            (x509.ExtendedKeyUsage([x509.oid.ExtendedKeyUsageOID.SERVER_AUTH]), False),
            (x509.SubjectAlternativeName([_alternative_name(host) for host in hosts]), False),
        ):
            builder = builder.add_extension(extension, critical=critical)
        return builder.sign(self._key, _hash())

    def _builder(
        self, key: "EllipticCurvePrivateKey", subject: "x509.Name"
    ) -> "x509.CertificateBuilder":
        from cryptography import x509

        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(self._now - _BEFORE)
            .not_valid_after(self._now + _VALIDITY)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
            )
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()),
                critical=False,
            )
        )


def _hash() -> "SHA256":
    from cryptography.hazmat.primitives.hashes import SHA256

    return SHA256()


def _alternative_name(host: str) -> "x509.GeneralName":
    from cryptography import x509

    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


_USAGES = (
    *("digital_signature", "content_commitment", "key_encipherment", "data_encipherment"),
    *("key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"),
)


def _key_usage(*names: str) -> "x509.KeyUsage":
    from cryptography import x509

    return x509.KeyUsage(**{name: name in names for name in _USAGES})
