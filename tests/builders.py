"""Shared builders: a clock that never waits, events of every type, repositories, small values."""

import asyncio
import os
import shutil
import subprocess
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from treadle.adapters.agents.claude.kind import KIND as CLAUDE
from treadle.domain.deliverable import Claim, Deliverable, DeliverableStatus
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RunStarted
from treadle.domain.ids import RunId, SessionId, make_run_id
from treadle.domain.limits import RunLimits, SessionLimits
from treadle.session.price_list import PriceList

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
RUN: RunId = make_run_id(unix_ms=1_700_000_000_000, random_bits=0x1234_5678_9ABC_DEF0)
RUN_LIMITS = RunLimits(max_cost_usd=10.0, max_minutes=60.0, max_iterations=20, max_retries=3)
# Long enough that no test ever reaches one that it does not set itself.
SESSION_LIMITS = SessionLimits(
    max_cost_usd=5.0, max_turns=50, wall_s=900, first_byte_s=900, idle_s=900, tool_s=900
)
# What Claude Code's models cost, and what its errors mean.
VENDOR_PRICES = PriceList(CLAUDE.prices)
FAULTS = CLAUDE.faults


@dataclass
class FakeClock:
    """The `Clock` port. A sleep is over at once and moves all times on."""

    moment: datetime = NOON
    passed_s: float = 0.0
    slept: list[float] = field(default_factory=list)
    on_sleep: Callable[[], None] = lambda: None

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        return self.passed_s

    def elapsed(self) -> float:
        return self.passed_s

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.advance(seconds)
        self.on_sleep()
        await asyncio.sleep(0)

    def advance(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)
        self.passed_s += seconds


@dataclass
class MemoryLog:
    """The `Log` port over a list."""

    events: list[Event] = field(default_factory=list)
    _keys: set[str] = field(default_factory=set)

    def record(self, event: Event, *, once: str = "") -> None:
        if once and once in self._keys:
            return
        self._keys.add(once)
        self.events.append(event)


def types_of(events: list[Event]) -> list[str]:
    """Wire names, for comparing the whole course of something at a glance."""
    return [event.type for event in events]


def session_ids() -> "SessionNumbers":
    return SessionNumbers()


@dataclass
class SessionNumbers:
    """Ids in the order they are asked for: session-1, session-2, …"""

    given: int = 0

    def __call__(self) -> SessionId:
        self.given += 1
        return SessionId(f"session-{self.given}")


def deliverable(
    name: str, status: DeliverableStatus = "pending", claim: Claim | None = None
) -> Deliverable:
    return Deliverable(
        name,
        f"What {name} is about",
        (f"{name} can be seen",),
        status,
        claim,
        proof="claimed" if status == "passed" else None,
    )


def claimed(name: str, commit: str = "", *, rehearsed: bool = False) -> Deliverable:
    """Passed by an agent; its work is in `commit`, or nowhere safe yet."""
    return deliverable(name, "passed", Claim(commit, rehearsed))


def run_started(run: RunId = RUN, *, project: str = "/project", key: str = "key") -> RunStarted:
    return RunStarted(
        run=run,
        workflow="deliver",
        project=project,
        project_key=key,
        version="1.0",
        model="sonnet",
        plan_model="opus",
        limits=RUN_LIMITS,
        sandbox="unsandboxed",
        rehearsal=True,
    )


MOMENTS = st.datetimes(
    min_value=datetime(2020, 1, 1),  # noqa: DTZ001  # hypothesis wants them bare
    max_value=datetime(2040, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
_PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: st.text(max_size=30),
    bool: st.booleans(),
    int: st.integers(min_value=0, max_value=2**53),
    float: st.floats(min_value=0, max_value=10**6),
    datetime: MOMENTS,
    type(None): st.none(),
}


def values_of(wanted: Any) -> st.SearchStrategy[Any]:
    """Values of a type, as far as the domain's own types go."""
    if wanted in _PLAIN:
        return _PLAIN[wanted]
    if hasattr(wanted, "__supertype__"):
        return values_of(wanted.__supertype__)
    if isinstance(wanted, type) and is_dataclass(wanted):
        hints = get_type_hints(wanted)
        return st.builds(
            wanted, **{f.name: values_of(hints[f.name]) for f in fields(wanted) if f.name != "type"}
        )
    return _values_of_generic(get_origin(wanted), get_args(wanted))


def _values_of_generic(origin: Any, inner: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    if origin is Literal:
        return st.sampled_from(inner)
    if origin in (Union, types.UnionType):
        return st.one_of([values_of(each) for each in inner])
    if origin is tuple:
        return st.lists(values_of(inner[0]), max_size=3).map(tuple)
    assert origin is dict, origin
    return st.dictionaries(st.text(max_size=5), JSON, max_size=3)


EVENTS: st.SearchStrategy[Event] = st.one_of([values_of(each) for each in get_args(Event)])


@dataclass(frozen=True)
class Repository:
    """A real repository of Ada's, with an environment built from nothing."""

    path: Path
    environment: Mapping[str, str]

    def git(self, *arguments: str) -> str:
        ran = subprocess.run(
            ["git", "-C", str(self.path), *arguments],
            env=dict(self.environment),
            capture_output=True,
            check=False,
            text=True,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.removesuffix("\n")

    def write(self, name: str, text: str) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def commit_all(self, message: str) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD")

    def log(self, revision: str = "HEAD") -> list[str]:
        """Subjects, newest first."""
        return self.git("log", "--format=%s", revision).splitlines()


def repository_in(directory: Path, **contents: str) -> Repository:
    """A repository with one commit of these files."""
    home, path = directory / "user-home", directory / "project"
    home.mkdir()
    path.mkdir()
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n"
    )
    git = shutil.which("git")
    assert git is not None
    repository = Repository(
        path,
        {
            "PATH": f"{Path(git).parent}:{os.defpath}",
            "HOME": str(home),
            "GIT_CONFIG_NOSYSTEM": "1",
        },
    )
    repository.git("init", "--quiet")
    for name, text in contents.items():
        repository.write(name, text)
    repository.commit_all("First")
    return repository
