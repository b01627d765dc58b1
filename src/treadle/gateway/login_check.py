"""Asks the model's service whether it accepts a login, with a request that costs nothing."""

from dataclasses import dataclass
from typing import Literal

from treadle.domain.model_access import Login, LoginCheckRequest, ModelService, SecretMissing
from treadle.gateway.credentials import Credentials
from treadle.gateway.headers import to_service
from treadle.gateway.service_client import ServiceClient

_REFUSED = (401, 403)


@dataclass(frozen=True, slots=True)
class LoginAnswer:
    """What became of the question, and what the service or the source of the secret said."""

    verdict: Literal["accepted", "refused", "unanswered"]
    text: str


async def check_login(
    service: ModelService, login: Login, request: LoginCheckRequest
) -> LoginAnswer:
    """One request, as an agent's would be sent: by the user's proxy, authorities and headers."""
    import httpx2

    headers = to_service(request.headers, login).headers
    filled = await Credentials(login).fill(headers)
    if isinstance(filled, SecretMissing):
        return LoginAnswer("refused" if filled.cause == "login" else "unanswered", filled.message)
    client = ServiceClient(service)
    try:
        async with client.stream_request(
            request.method, request.target, filled.headers, request.body
        ) as response:
            return judge_status(response.status_code)
    except httpx2.HTTPError as error:
        return LoginAnswer("unanswered", f"{type(error).__name__}: {error}"[:300])
    finally:
        await client.close()


def judge_status(status: int) -> LoginAnswer:
    """A service looks at the login first: whatever else it objects to, it has accepted that."""
    text = f"HTTP {status}"
    if status in _REFUSED:
        return LoginAnswer("refused", text)
    if status < 400 or status in (400, 413, 422, 429):
        return LoginAnswer("accepted", text)
    return LoginAnswer("unanswered", text)
