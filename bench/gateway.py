"""A model request through the gateway, against the same request straight to the model."""

import asyncio
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from bench.figures import Figure, Spread, ratios
from bench.model import MeasurementFailed
from treadle.adapters.agents.claude.kind import KIND as CLAUDE
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.ledger import DatabaseLedger
from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import Budget
from treadle.domain.model_access import ModelService
from treadle.domain.storage import Storage
from treadle.gateway.model_gateway import Gateway, GatewayRules
from treadle.session.price_list import PriceList

SESSION, RUN = SessionId("bench"), RunId("bench")
# As large as the first request of a session, and an answer of a few sentences.
PROMPT = "x" * 47_000
SCRIPT = """\
version: 1
sessions:
  - turns:
      - {text_of: {size: 2000}, chunk: 40, repeat: forever}
"""
WARM_UP = 5


@dataclass(frozen=True, slots=True)
class Asked:
    """One request each way, in seconds from its first byte to the last of its answer."""

    socket_s: float
    gateway_s: float
    direct_s: float


def measure(directory: Path, times: int) -> list[Asked]:
    """So many requests each way, in turns, over connections that stay open."""
    directory.mkdir(parents=True)
    with _model(directory) as address, closing(open_database(Storage(directory))) as database:
        ledger = DatabaseLedger(database)
        prices = PriceList(CLAUDE.prices)
        rules = GatewayRules(rehearsal=True)
        with Gateway(ModelService(address), ledger, prices=prices, rules=rules) as gateway:
            way = gateway.open(SESSION, RUN, Budget(1e9, 1e9, 1e9))
            ways = Asking(SocketConnection(way.socket)), at(way.url), at(address)
            done = [Asked(*(each.took_s() for each in ways)) for _ in range(times + WARM_UP)]
            bill = asyncio.run(gateway.close(SESSION))
    if bill.requests != 2 * (times + WARM_UP):
        raise MeasurementFailed(
            f"the ledger has {bill.requests} of {2 * (times + WARM_UP)} requests"
        )
    return done[WARM_UP:]


def figures(done: Sequence[Asked]) -> list[Figure]:
    """What the way through the gateway takes, and what it adds."""
    through, straight = [each.gateway_s for each in done], [each.direct_s for each in done]
    added = [(each.gateway_s - each.direct_s) * 1000 for each in done]
    by_socket = [(each.socket_s - each.direct_s) * 1000 for each in done]
    return [
        Figure("a request through the gateway / direct, time", "x", ratios(through, straight)),
        Figure("added by the gateway to a request", "ms", Spread.of(added)),
        Figure("the same by a session's socket", "ms", Spread.of(by_socket)),
        Figure("a request direct", "ms", Spread.of([each * 1000 for each in straight])),
    ]


class SocketConnection(HTTPConnection):
    """Over a unix socket, as an agent in a sandbox asks."""

    def __init__(self, path: Path) -> None:
        super().__init__("gateway")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(str(self._path))


def at(address: str) -> "Asking":
    parts = urlsplit(address)
    return Asking(HTTPConnection(parts.hostname or "", parts.port), parts.path)


class Asking:
    """A client that keeps its connection."""

    def __init__(self, connection: HTTPConnection, path: str = "") -> None:
        self._connection = connection
        self._path = f"{path}/v1/messages?beta=true"
        self._body = json.dumps(
            {
                "model": "claude-sonnet-5-5",
                "max_tokens": 4000,
                "stream": True,
                "messages": [{"role": "user", "content": PROMPT}],
            }
        )

    def took_s(self) -> float:
        started = time.perf_counter()
        self._connection.request("POST", self._path, self._body)
        response = self._connection.getresponse()
        if response.status != 200 or b"message_stop" not in response.read():
            raise MeasurementFailed(f"the model answered with status {response.status}")
        return time.perf_counter() - started


@contextmanager
def _model(directory: Path) -> Iterator[str]:
    path = directory / "script.yaml"
    path.write_text(SCRIPT)
    with subprocess.Popen(
        [sys.executable, "-m", "bench.api_process", path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.kill()


if __name__ == "__main__":
    import tempfile

    from bench.report import table

    with tempfile.TemporaryDirectory(prefix="treadle-bench-") as name:
        print("\n".join(table("Gateway", figures(measure(Path(name) / "gateway", 300)))))
