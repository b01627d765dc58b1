"""The scripted Messages API: a loopback server in a thread, and the requests it received."""

import asyncio
import json
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import unquote

from treadle.rehearsal.conversation import count_answers, text_since_answer
from treadle.rehearsal.http1 import HttpRequest
from treadle.rehearsal.messages_api import BilledAnswer, ReplyContext, billed_answers
from treadle.rehearsal.response_steps import (
    ResponseStep,
    TurnContext,
    error_steps,
    json_steps,
    turn_steps,
)
from treadle.rehearsal.script import Script
from treadle.rehearsal.script_progress import (
    ScriptMismatch,
    ScriptProgress,
    StartedSession,
    TurnRequest,
    choose_turn,
    find_problems,
    resume_progress,
)
from treadle.rehearsal.scripted_connection import serve_connection
from treadle.rehearsal.turns import ApiError, ModelReply

KEPT_REQUESTS = 64


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A message request, without its credentials."""

    number: int
    session: str
    role: str | None
    agent: str | None
    arrived_s: float  # on the monotonic clock
    body: bytes

    def json(self) -> dict[str, Any]:
        parsed: dict[str, Any] = json.loads(self.body)
        return parsed


class ScriptedApi:
    """Serves a script: `async with ScriptedApi(script) as api: api.base_url`.

    Callers without an event loop use a plain `with`. The server has a thread and an event loop of
    its own, so that a busy caller does not delay it.
    """

    def __init__(
        self,
        script: Script,
        *,
        earlier_sessions: Sequence[StartedSession] = (),
        unix_time: Callable[[], float] = time.time,
    ) -> None:
        self._script = script
        self._unix_time = unix_time
        self._tag = secrets.token_hex(4)
        self._progress = resume_progress(script, earlier_sessions)
        self._requests: tuple[RecordedRequest, ...] = ()
        self._count = 0
        self._bill: tuple[BilledAnswer, ...] = ()
        self._waiters: list[tuple[int, asyncio.AbstractEventLoop, asyncio.Future[None]]] = []
        self._lock = threading.Lock()
        self._address: tuple[str, int] | None = None

    @property
    def base_url(self) -> str:
        if self._address is None:
            raise RuntimeError("the scripted API has no address before it is entered")
        return f"http://{self._address[0]}:{self._address[1]}"

    @property
    def requests(self) -> tuple[RecordedRequest, ...]:
        """The last message requests, oldest first; `request_count` counts all."""
        return self._requests

    @property
    def request_count(self) -> int:
        return self._count

    @property
    def bill(self) -> tuple[BilledAnswer, ...]:
        """All answers that were begun: a client that leaves early is billed like any other."""
        return self._bill

    @property
    def progress(self) -> ScriptProgress:
        return self._progress

    def problems(self) -> tuple[str, ...]:
        """Why the rehearsal is no success so far, one sentence each."""
        return find_problems(self._script, self._progress)

    async def wait_for_requests(self, count: int) -> None:
        """Wait until this many message requests have arrived."""
        loop = asyncio.get_running_loop()
        arrived: asyncio.Future[None] = loop.create_future()
        with self._lock:
            if self._count >= count:
                return
            self._waiters.append((count, loop, arrived))
        await arrived

    def __enter__(self) -> Self:
        # The kernel queues connections from here on, until the thread accepts them.
        listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        # Small parts of a response must be sent at once.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._address = listener.getsockname()
        self._loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()
        self._thread = threading.Thread(
            target=self._run, args=(listener,), name="treadle-rehearsal", daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join()

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, *_: object) -> None:
        self.__exit__()

    def _run(self, listener: socket.socket) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve(listener))

    async def _serve(self, listener: socket.socket) -> None:
        # The loop holds only weak references.
        connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

        def on_connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.ensure_future(serve_connection(reader, writer, self._respond))
            connections[task] = writer
            task.add_done_callback(connections.pop)

        server = await asyncio.start_server(on_connect, sock=listener, limit=1 << 20)
        await self._stopped.wait()
        server.close()  # the runner cancels the tasks; one that has not begun closes nothing
        for writer in connections.values():
            writer.transport.abort()

    def _respond(self, request: HttpRequest) -> Iterable[ResponseStep]:
        match request.method, request.path:
            case "HEAD" | "GET", "/" | "/api/hello":
                return json_steps(200, {}, {})
            case "POST", "/v1/messages/count_tokens":
                return json_steps(200, {"input_tokens": max(1, len(request.body) // 4)}, {})
            case "POST", "/v1/messages":
                return self._respond_message(request)
            case _:
                message = f"{request.method} {request.path} is not part of a rehearsal"
                return error_steps(ApiError(404, "not_found_error", message))

    def _respond_message(self, request: HttpRequest) -> Iterable[ResponseStep]:
        try:
            body = json.loads(request.body)
        except ValueError:
            return error_steps(ApiError(400, "invalid_request_error", "the body is not JSON"))
        if not isinstance(body, dict):
            return error_steps(ApiError(400, "invalid_request_error", "the body is not an object"))
        turn_request = _make_turn_request(request, body)
        self._progress, turn = choose_turn(self._script, self._progress, turn_request)
        number = self._record_request(turn_request, request.body)
        if isinstance(turn, ScriptMismatch):
            return error_steps(_mismatch_error(turn))
        reply_context = ReplyContext(
            id=f"{self._tag}{number:04d}",
            model=str(body.get("model", "scripted")),
            workspace=turn_request.workspace,
        )
        if isinstance(turn.answer, ModelReply):
            self._bill = (*self._bill, *billed_answers(turn.answer, reply_context))
        streaming = body.get("stream") is True
        return turn_steps(
            turn, TurnContext(reply_context, streaming=streaming, unix_now=self._unix_time())
        )

    def _record_request(self, turn_request: TurnRequest, body: bytes) -> int:
        with self._lock:
            self._count += 1
            number = self._count
            recorded = RecordedRequest(
                number,
                turn_request.session,
                turn_request.role,
                turn_request.agent,
                time.monotonic(),
                body,
            )
            self._requests = (*self._requests, recorded)[-KEPT_REQUESTS:]
            due = [entry for entry in self._waiters if entry[0] <= number]
            self._waiters = [entry for entry in self._waiters if entry[0] > number]
        for _, loop, arrived in due:
            if not loop.is_closed():
                loop.call_soon_threadsafe(_resolve, arrived)
        return number


def _make_turn_request(request: HttpRequest, body: dict[str, Any]) -> TurnRequest:
    headers = request.headers
    messages = body.get("messages")
    workspace = headers.get("x-treadle-workspace")
    return TurnRequest(
        session=headers.get("x-claude-code-session-id", ""),
        role=headers.get("x-treadle-role"),
        agent=headers.get("x-claude-code-agent-id"),
        # Header values are ASCII, so a path comes percent-encoded.
        workspace=unquote(workspace) if workspace is not None else None,
        prompt_text=text_since_answer(messages) if isinstance(messages, list) else "",
        answers=count_answers(messages) if isinstance(messages, list) else 0,
    )


def _mismatch_error(refused: ScriptMismatch) -> ApiError:
    """An error that clients report at once, without a retry."""
    message = f"rehearsal failed: {refused.reason}"
    return ApiError(402, "billing_error", message, {"x-should-retry": "false"})


def _resolve(arrived: asyncio.Future[None]) -> None:
    if not arrived.done():
        arrived.set_result(None)
