"""Issues the tokens of one account: each refresh token is good once, and one login is alive."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qs

# `renew` is a healthy service; `hang` takes the request, spends nothing and never answers.
Mode = Literal["renew", "unavailable", "invalid_grant", "hang"]

SCOPES = (
    "user:inference",
    "user:profile",
    "user:sessions:claude_code",
    "user:mcp_servers",
    "user:file_upload",
)
PROFILE = {
    "account": {
        "uuid": "00000000-0000-4000-8000-000000000001",
        "email": "ada@example.com",
        "full_name": "Ada Example",
        "display_name": "Ada",
    },
    "organization": {
        "uuid": "00000000-0000-4000-8000-000000000002",
        "name": "Example",
        "organization_type": "claude_max",
        "rate_limit_tier": "default_claude_max_5x",
    },
}


@dataclass(frozen=True, slots=True)
class TokenPair:
    access: str
    refresh: str


@dataclass(frozen=True, slots=True)
class TokenAnswer:
    """What the address for tokens answers; no status stands for silence."""

    status: int | None
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Renewal:
    """A refresh token that was spent, and what it was spent for."""

    spent: str
    issued: TokenPair


class TokenIssuer:
    """Used from the thread of the service and from that of the test."""

    def __init__(self, expires_in: int, unix_time: Callable[[], float] = time.time) -> None:
        self.expires_in = expires_in
        self.mode: Mode = "renew"
        self.renewals: tuple[Renewal, ...] = ()
        # Refresh tokens that were not, or no longer, good for anything.
        self.refused: tuple[str, ...] = ()
        self._unix_time = unix_time
        self._count = 0
        self._live: TokenPair | None = None
        self._lock = threading.Lock()

    @property
    def live(self) -> TokenPair | None:
        """The one pair that is good now."""
        return self._live

    def log_in(self, home: Path, expires_in: int) -> Path:
        """What `/login` leaves behind in a home; it ends every earlier login."""
        with self._lock:
            self._live = pair = self._next_pair()
        path = credentials_file(home)
        path.parent.mkdir(parents=True, exist_ok=True)
        login = {
            "accessToken": pair.access,
            "refreshToken": pair.refresh,
            "expiresAt": int((self._unix_time() + expires_in) * 1000),
            "scopes": list(SCOPES),
            "subscriptionType": "max",
            "rateLimitTier": "default_claude_max_5x",
        }
        path.touch(mode=0o600)
        path.write_text(json.dumps({"claudeAiOauth": login}))
        return path

    def revoke_access(self) -> None:
        """The access token that is out is refused from now on; its refresh token is not."""
        with self._lock:
            assert self._live is not None
            self._live = TokenPair(self._next_pair().access, self._live.refresh)

    def answer(self, body: bytes) -> TokenAnswer:
        """Spend the refresh token in the body of a request at once, or say why not."""
        token = refresh_token_in(body)
        with self._lock:
            if self.mode == "hang":
                return TokenAnswer(None, {})
            if self.mode == "unavailable":
                return TokenAnswer(503, {"error": {"type": "api_error", "message": "later"}})
            if self.mode == "invalid_grant" or self._live is None or token != self._live.refresh:
                self.refused = (*self.refused, token)
                return TokenAnswer(400, INVALID_GRANT)
            self._live = pair = self._next_pair()
            self.renewals = (*self.renewals, Renewal(token, pair))
        return TokenAnswer(200, self._token_body(pair))

    def _next_pair(self) -> TokenPair:
        self._count += 1
        return TokenPair(
            f"sk-ant-oat01-made-up-{self._count:04d}", f"sk-ant-ort01-made-up-{self._count:04d}"
        )

    def _token_body(self, pair: TokenPair) -> dict[str, Any]:
        return {
            "token_type": "Bearer",
            "access_token": pair.access,
            "refresh_token": pair.refresh,
            "expires_in": self.expires_in,
            "scope": " ".join(SCOPES),
            "account": {"uuid": PROFILE["account"]["uuid"], "email_address": "ada@example.com"},
            "organization": {"uuid": PROFILE["organization"]["uuid"], "name": "Example"},
        }


INVALID_GRANT = {
    "error": "invalid_grant",
    "error_description": "Refresh token not found or invalid",
}


def refresh_token_in(body: bytes) -> str:
    """From JSON, as Claude Code sends it, or from a form, as the standard has it."""
    try:
        return str(json.loads(body).get("refresh_token", ""))
    except ValueError:
        return "".join(parse_qs(body.decode("utf-8", "replace")).get("refresh_token", []))


def credentials_file(home: Path) -> Path:
    return home / ".claude" / ".credentials.json"


def stored_login(home: Path) -> dict[str, Any]:
    """What the file of a home says of its login."""
    login: dict[str, Any] = json.loads(credentials_file(home).read_text())["claudeAiOauth"]
    return login
