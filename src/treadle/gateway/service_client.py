"""The HTTP client of the model service behind the gateway."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from typing import TYPE_CHECKING

from treadle.domain.errors import SettingsError
from treadle.domain.model_access import ModelService
from treadle.gateway.headers import Headers

if TYPE_CHECKING:
    import ssl

    import httpx2

CONNECT_TIMEOUT_S = 30.0
# Between two bytes; the limits of a session are shorter, and checked by its watchdog.
READ_TIMEOUT_S = 1200.0


class ServiceClient:
    """The HTTP client of the service."""

    def __init__(self, service: ModelService) -> None:
        # Slow to import; most commands do not need it.
        import httpx2

        self._base_url = service.base_url.rstrip("/")
        self._client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S, pool=None),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=16),
            # The settings have read the environment already.
            trust_env=False,
            proxy=service.proxy or None,
            verify=_ssl_context(service),
            follow_redirects=False,
        )
        # The client's default headers would be sent beside the agent's.
        self._client.headers.clear()

    @asynccontextmanager
    async def stream_request(
        self, method: str, target: str, headers: Headers, body: bytes
    ) -> "AsyncIterator[httpx2.Response]":
        """Send one request; the caller reads the response's body."""
        async with self._client.stream(
            method, self._base_url + target, headers=headers, content=body
        ) as response:
            yield response

    async def close(self) -> None:
        await self._client.aclose()


@cache
def _ssl_context(service: ModelService) -> "ssl.SSLContext":
    import ssl

    import httpx2

    if not service.base_url.startswith("https:") and not service.proxy.startswith("https:"):
        # No TLS on this route, so the default authorities need not be loaded.
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = httpx2.create_ssl_context(trust_env=False)
    for path in service.authorities:
        with _report_certificate_errors(path):
            context.load_verify_locations(path)
    if service.certificate is not None:
        certificate, key, password = service.certificate
        with _report_certificate_errors(
            certificate if certificate == key else f"{certificate} with {key}"
        ):
            context.load_cert_chain(certificate, key, password)
    return context


@contextmanager
def _report_certificate_errors(path: str) -> Iterator[None]:
    """Name the file, which errors of `ssl` do not."""
    try:
        yield
    except OSError as error:  # also ssl.SSLError, for an invalid file
        raise SettingsError(
            f"cannot use the certificate {path}: {error.strerror or error}",
            hint="fix the file, or the environment variable that names it",
        ) from error
