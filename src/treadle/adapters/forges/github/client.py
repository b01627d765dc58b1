"""The client of GitHub's API: headers, conditional requests, pages, redirects, limits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, TypeVar
from urllib.parse import urlencode, urljoin

import orjson

from treadle.adapters.forges.github.hosts import graphql_url, rest_url
from treadle.adapters.forges.github.responses import (
    graphql_failure,
    is_same_origin,
    may_lead_to,
    next_page,
    parse_json,
    read_failure,
)
from treadle.domain.forge_kind import CachedResponse, EtagStore, ForgeConnection
from treadle.domain.http import HttpFailure, HttpResponse, HttpSender, OutgoingRequest
from treadle.domain.service_failures import Refused, ServiceFailure, Unreachable

T = TypeVar("T")
Parse = Callable[[Any], T]

API_VERSION = "2022-11-28"
PAGE_SIZE = 100
MAX_PAGES = 30
MAX_REDIRECTS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class GitHubClient:
    """Calls below one repository with one token. `what` names a thing in messages."""

    root: str
    graphql: str
    # Below the root, without a slash at its end.
    repository: str
    token: str = field(repr=False)
    sender: HttpSender
    etags: EtagStore
    now: Callable[[], datetime]
    user_agent: str

    def url(self, path: str, **query: str | int) -> str:
        """The URL of something in the repository."""
        encoded = f"?{urlencode(query)}" if query else ""
        return f"{self.root}/{self.repository}{path}{encoded}"

    async def get(self, url: str, what: str, parse: Parse[T]) -> T | ServiceFailure:
        response = await self._get(url, what)
        if not isinstance(response, HttpResponse):
            return response
        return _parsed(response.body, parse)

    async def get_all(self, url: str, what: str, parse: Parse[list[T]]) -> list[T] | ServiceFailure:
        """The items of all pages; `parse` reads one page."""
        items: list[T] = []
        for _ in range(MAX_PAGES):
            response = await self._get(url, what)
            if not isinstance(response, HttpResponse):
                return response
            page = _parsed(response.body, parse)
            if not isinstance(page, list):
                return page
            items += page
            url = next_page(response.headers.get("link", ""))
            if not url:
                return items
            if not is_same_origin(url, self.root):
                return Unreachable("GitHub's next page is on another host")
        return Refused(f"{what} has more than {MAX_PAGES * PAGE_SIZE} entries")

    async def get_text_end(self, url: str, what: str, max_bytes: int) -> str | ServiceFailure:
        """The end of a text, which may be kept on another host; that one does not get the token."""
        request = OutgoingRequest("GET", url, self._headers(), max_bytes=max_bytes, keep="end")
        response = await self._follow(request, to="any host")
        failure = read_failure(response, what, self.now())
        if failure is not None or isinstance(response, HttpFailure):
            return failure or Unreachable("GitHub was not reached")
        return response.body.decode(errors="replace")

    async def change(
        self, method: str, url: str, body: Mapping[str, Any], what: str, parse: Parse[T]
    ) -> T | ServiceFailure:
        """Send a change; the caller has looked whether it is needed."""
        headers = {**self._headers(), "content-type": "application/json"}
        response = await self._follow(OutgoingRequest(method, url, headers, orjson.dumps(body)))
        failure = read_failure(response, what, self.now())
        if failure is not None or isinstance(response, HttpFailure):
            return failure or Unreachable("GitHub was not reached")
        return _parsed(response.body, parse)

    async def mutate(
        self, document: str, variables: Mapping[str, Any], what: str
    ) -> ServiceFailure | None:
        """Send a GraphQL mutation; None if it was done."""
        body = {"query": document, "variables": dict(variables)}
        data = await self.change("POST", self.graphql, body, what, lambda data: dict(data))
        if not isinstance(data, dict):
            return data
        return graphql_failure(data, what, self.now())

    async def _get(self, url: str, what: str) -> HttpResponse | ServiceFailure:
        """A response with status 200, from the store if GitHub says that nothing has changed."""
        cached = self.etags.read(url)
        condition = {"if-none-match": cached.etag} if cached else {}
        response = await self._follow(OutgoingRequest("GET", url, {**self._headers(), **condition}))
        failure = read_failure(response, what, self.now())
        if failure is not None or isinstance(response, HttpFailure):
            return failure or Unreachable("GitHub was not reached")
        if response.status == 304:
            if cached is None:
                return Unreachable("GitHub answered with status 304")
            return HttpResponse(200, {"link": cached.link}, cached.body)
        if etag := response.headers.get("etag", ""):
            link = response.headers.get("link", "")
            self.etags.write(url, CachedResponse(etag, response.body, link))
        return response

    async def _follow(
        self, request: OutgoingRequest, *, to: Literal["the API", "any host"] = "the API"
    ) -> HttpResponse | HttpFailure:
        """Send a request, also to where a renamed repository or a log has moved."""
        for _ in range(MAX_REDIRECTS + 1):
            response = await self.sender.send(request)
            if isinstance(response, HttpFailure) or response.status not in _REDIRECTS:
                return response
            url = urljoin(request.url, response.headers.get("location", ""))
            same = is_same_origin(url, self.root)
            if not may_lead_to(url, self.root) or not (same or to == "any host"):
                return HttpFailure("it leads to an address that is not used")
            headers = request.headers if same else {"user-agent": self.user_agent}
            request = replace(request, url=url, headers=headers)
        return HttpFailure("it leads in circles")

    def _headers(self) -> dict[str, str]:
        return {
            "accept": "application/vnd.github+json",
            "authorization": f"Bearer {self.token}",
            "user-agent": self.user_agent,
            "x-github-api-version": API_VERSION,
        }


def github_client(connection: ForgeConnection) -> GitHubClient:
    address = connection.address
    return GitHubClient(
        root=rest_url(address),
        graphql=graphql_url(address),
        repository=f"repos/{address.path}",
        token=connection.token.value,
        sender=connection.sender,
        etags=connection.etags,
        now=connection.now,
        user_agent=connection.user_agent,
    )


def _parsed(body: bytes, parse: Parse[T]) -> T | ServiceFailure:
    try:
        return parse(parse_json(body))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        # What `parse` reads is not there, so it is not GitHub that answers.
        return Unreachable("GitHub's answer has a form that Treadle does not know")
