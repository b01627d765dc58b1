"""Puts the secrets of the user's login into requests, and tells their sources of a refusal."""

from dataclasses import dataclass, field

from treadle.domain.model_access import Login, SecretMissing, SecretSource
from treadle.gateway.headers import Headers, used_secrets, with_secrets


@dataclass(frozen=True, slots=True)
class FilledHeaders:
    """The headers of one request with the secrets in them."""

    headers: Headers = field(repr=False)
    secrets: tuple[tuple[SecretSource, bytes], ...] = field(repr=False)

    async def replace_refused(self) -> bool:
        """The service has refused them: whether the request is to be filled and sent again."""
        return any([await source.replace_refused(secret) for source, secret in self.secrets])


@dataclass(frozen=True, slots=True)
class Credentials:
    """The login of all sessions behind one gateway."""

    login: Login

    async def fill(self, headers: Headers) -> FilledHeaders | SecretMissing:
        """The headers with the secrets of this moment; a source may take its time."""
        found: list[tuple[SecretSource, bytes]] = []
        secrets: dict[bytes, bytes] = {}
        for held in used_secrets(headers, self.login):
            secret = await held.source.current()
            if isinstance(secret, SecretMissing):
                return secret
            found.append((held.source, secret))
            secrets[held.placeholder] = secret
        return FilledHeaders(with_secrets(headers, secrets), tuple(found))
