"""A GitHub on loopback with state, tokens, limits and faults; every exchange is held to GitHub's
own description, and git talks to a real repository behind it."""

import base64
import hashlib
import json
import re
import socketserver
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import RLock, Thread
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from tests.github.fake_answers import (
    NOT_FOUND,
    Answer,
    RepositoryAnswers,
    error,
    node_id,
)
from tests.github.fake_state import FakeRepository, FakeToken
from tests.github.git_backend import make_bare, run_backend
from tests.github.schema_check import (
    ApiRequest,
    graphql_errors,
    request_errors,
    response_errors,
    response_schema,
    sample,
)

_REPOSITORY = re.compile(r"/repos/([^/]+)/([^/]+)(/.*)?")
_GIT = re.compile(r"/([^/]+)/([^/]+)\.git(/.*)")


@dataclass(frozen=True)
class Fault:
    """What the next request to a path gets in place of an answer; status 0 cuts the connection."""

    path: str
    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    method: str = ""
    # The change is made before the answer is lost.
    done: bool = False


@dataclass(frozen=True)
class Received:
    """A request as it came in, with the status that it got."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    status: int


@dataclass
class FakeGitHub:
    """Use it with `serve_github`, which fails if an exchange was none of GitHub's."""

    root: Path
    port: int = 0
    logs_port: int = 0
    tokens: dict[str, FakeToken] = field(default_factory=dict)
    repositories: dict[str, FakeRepository] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    received: list[Received] = field(default_factory=list)
    log_requests: list[Received] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    lock: RLock = field(default_factory=RLock)
    # At most so many items on a page, whatever is asked for.
    page_size: int = 100

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def site(self) -> str:
        return f"http://{self.host}"

    def add_repository(self, owner: str, name: str) -> FakeRepository:
        repository = FakeRepository(owner, name)
        self.repositories[repository.path] = repository
        make_bare(self.root, repository.path)
        return repository

    def bare(self, repository: FakeRepository) -> Path:
        return self.root / f"{repository.path}.git"

    def requests(self, path: str, method: str = "GET") -> list[Received]:
        """The API requests whose path has this end."""
        return [
            each for each in self.received if each.path.endswith(path) and each.method == method
        ]

    def answer(self, request: ApiRequest, headers: dict[str, str]) -> Answer:
        """The answer to a request below the root of the API."""
        scheme, _, value = headers.get("authorization", "").partition(" ")
        token = self.tokens.get(value) if scheme.lower() in ("bearer", "token") else None
        if token is None:
            return error(401, "Bad credentials")
        if request.path == "/":
            return Answer(200, sample(response_schema("/", "get")))
        match = _REPOSITORY.fullmatch(request.path)
        repository = self.repositories.get(f"{match[1]}/{match[2]}") if match else None
        if match is None or repository is None:
            return NOT_FOUND
        answers = RepositoryAnswers(
            repository, self.bare(repository), self.site, f"http://127.0.0.1:{self.logs_port}/logs"
        )
        body = json.loads(request.body) if request.body else None
        query = dict(parse_qsl(request.query))
        return answers.answer(request.method, match[3] or "", query, body, token)

    def answer_graphql(self, body: Any, headers: dict[str, str]) -> Answer:
        value = headers.get("authorization", "").partition(" ")[2]
        token = self.tokens.get(value)
        if token is None:
            return error(401, "Bad credentials")
        if "viewer" in body["query"]:
            return Answer(200, {"data": {"viewer": {"login": token.login}}})
        wanted = body["variables"]["id"]
        pulls = [each for repo in self.repositories.values() for each in repo.pulls.values()]
        found = [each for each in pulls if node_id(each.number) == wanted]
        if not found:
            return _graphql_error("NOT_FOUND", f"Could not resolve to a node of {wanted}")
        if not token.may_write:
            return _graphql_error("FORBIDDEN", "Resource not accessible by personal access token")
        name = "convertPullRequestToDraft" if "ToDraft" in body["query"] else ""
        found[0].draft = bool(name)
        name = name or "markPullRequestReadyForReview"
        return Answer(200, {"data": {name: {"pullRequest": {"isDraft": found[0].draft}}}})

    def answer_git(
        self, method: str, path: str, query: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        match = _GIT.fullmatch(path)
        assert match is not None
        login = base64.b64decode(headers.get("authorization", "").partition(" ")[2] or b"Og==")
        token = self.tokens.get(login.decode().partition(":")[2])
        if token is None:
            return 401, {"www-authenticate": 'Basic realm="GitHub"'}, b"no login"
        repository = self.repositories.get(f"{match[1]}/{match[2]}")
        if repository is None:
            return 404, {}, b"Repository not found."
        writes = "git-receive-pack" in f"{query}{path}"
        access = repository.access.get(token.login, "none")
        if writes and not (token.may_write and access in ("admin", "write")):
            return 403, {}, f"Permission to {repository.path} denied.".encode()
        done = run_backend(self.root, method, path, query, headers, body)
        return done.status, done.headers, done.body

    def take_fault(self, method: str, path: str) -> Fault | None:
        for fault in self.faults:
            if re.search(fault.path, path) and fault.method in ("", method):
                self.faults.remove(fault)
                return fault
        return None


def _graphql_error(kind: str, message: str) -> Answer:
    return Answer(200, {"data": None, "errors": [{"type": kind, "message": message}]})


def paged(answer: Answer, url: str, query: str, largest: int) -> tuple[Any, dict[str, str]]:
    """One page of the answer, and the `Link` header to the next."""
    if answer.pages is None:
        return answer.body, {}
    asked = dict(parse_qsl(query))
    size, page = min(int(asked.get("per_page", 30)), largest), int(asked.get("page", 1))
    items = answer.body[answer.pages] if answer.pages else answer.body
    part = items[(page - 1) * size : page * size]
    body = {**answer.body, answer.pages: part} if answer.pages else part
    if page * size >= len(items):
        return body, {}
    following = urlencode({**asked, "page": page + 1})
    return body, {"link": f'<{url}?{following}>; rel="next", <{url}?page=9>; rel="last"'}


class Handler(BaseHTTPRequestHandler):
    """One connection of a client; the server has the fake."""

    protocol_version = "HTTP/1.1"
    server: "GitHubServer"

    def _handle(self) -> None:
        parts = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self._read_body(headers)
        fake = self.server.fake
        fault = fake.take_fault(self.command, parts.path)
        if fault is not None and not fault.done:
            self._fail(fault, parts.path, parts.query, headers)
            return
        with fake.lock:
            status, sent, content = self._exchange(parts.path, parts.query, headers, body)
            fake.received.append(Received(self.command, parts.path, parts.query, headers, status))
        if fault is not None:
            self._cut()
            return
        self._send(status, sent, content)

    def _exchange(
        self, path: str, query: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        fake = self.server.fake
        if _GIT.fullmatch(path):
            return fake.answer_git(self.command, path, query, headers, body)
        if path.endswith("/graphql"):
            fake.violations += [f"{path}: {each}" for each in graphql_errors(body)]
            return self._encode(fake.answer_graphql(json.loads(body), headers))
        request = ApiRequest(self.command, path.removeprefix("/api/v3") or "/", query, body)
        wrong = request_errors(request)
        answer = fake.answer(request, headers)
        content, link = paged(answer, f"{fake.site}{path}", query, fake.page_size)
        status, sent, encoded = self._encode(
            Answer(answer.status, content, location=answer.location)
        )
        sent |= link
        if request.path == "/":
            sent["x-oauth-scopes"] = "repo, read:org"
        wrong += response_errors(request, status, sent, encoded)
        fake.violations += [f"{self.command} {path}: {each}" for each in wrong]
        if status == 200 and headers.get("if-none-match") == sent["etag"]:
            return 304, {"etag": sent["etag"]}, b""
        return status, sent, encoded

    def _encode(self, answer: Answer) -> tuple[int, dict[str, str], bytes]:
        if answer.location:
            return answer.status, {"location": answer.location}, b""
        content = json.dumps(answer.body).encode()
        etag = f'W/"{hashlib.sha256(content).hexdigest()}"'
        kind = "application/json; charset=utf-8"
        return answer.status, {"content-type": kind, "etag": etag}, content

    def _fail(self, fault: Fault, path: str, query: str, headers: dict[str, str]) -> None:
        fake = self.server.fake
        fake.received.append(Received(self.command, path, query, headers, fault.status))
        if fault.status:
            self._send(fault.status, fault.headers, fault.body)
        else:
            self._cut()

    def _cut(self) -> None:
        self.close_connection = True
        self.connection.close()

    def _read_body(self, headers: dict[str, str]) -> bytes:
        if headers.get("transfer-encoding") != "chunked":
            return self.rfile.read(int(headers.get("content-length", "0")))
        body = b""
        while size := int(self.rfile.readline().strip() or b"0", 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _send(self, status: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("content-length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_HEAD = do_POST = do_PATCH = _handle  # noqa: N815  # the names of http.server

    def log_message(self, *_: object) -> None:
        pass

    def address_string(self) -> str:
        return "client"


class LogHandler(BaseHTTPRequestHandler):
    """Another host, which keeps the logs of jobs and must get no token."""

    server: "GitHubServer"

    def do_GET(self) -> None:
        fake = self.server.fake
        parts = urlsplit(self.path)
        number = int(parts.path.rpartition("/")[2])
        headers = {name.lower(): value for name, value in self.headers.items()}
        fake.log_requests.append(Received("GET", parts.path, parts.query, headers, 200))
        log = next(repo.jobs[number].log for repo in fake.repositories.values())
        self.send_response(200)
        self.end_headers()
        self.wfile.write(log.encode())

    def log_message(self, *_: object) -> None:
        pass


class GitHubServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, fake: FakeGitHub, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.fake = fake

    def handle_error(self, *_: object) -> None:
        """A client that leaves is no error; a broken handler is, and is told as a violation."""
        caught = sys.exc_info()[1]
        if not isinstance(caught, OSError | ValueError):
            self.fake.violations.append(f"the fake broke: {caught!r}")


class SocketServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """The same API on a Unix socket, where the real gh can be sent without TLS."""

    daemon_threads = True

    def __init__(self, fake: FakeGitHub, path: Path) -> None:
        super().__init__(str(path), Handler)
        self.fake = fake


@contextmanager
def serve_github(root: Path, socket: Path | None = None) -> Iterator[FakeGitHub]:
    """Serve it on loopback for the block; afterwards nothing may have violated the schema."""
    fake = FakeGitHub(root)
    servers: list[socketserver.BaseServer] = []
    api, logs = GitHubServer(fake, Handler), GitHubServer(fake, LogHandler)
    fake.port, fake.logs_port = api.server_address[1], logs.server_address[1]
    servers += [api, logs, *([SocketServer(fake, socket)] if socket else [])]
    threads = [Thread(target=each.serve_forever, args=(0.05,), daemon=True) for each in servers]
    for thread in threads:
        thread.start()
    try:
        yield fake
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()
        for thread in threads:
            thread.join()
    assert fake.violations == []
