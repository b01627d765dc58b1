"""Sessions through `treadle deliver` against the same by `claude -p` in a shell loop."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Figure, Spread, ratios
from bench.jobs import DeliverTook, Took, deliver_job, plain_job


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured. What a session takes beyond the start is the longer job's rest."""

    sessions: int
    few_sessions: int
    repetitions: int


@dataclass(frozen=True, slots=True)
class Repetition:
    """All four jobs, made one after the other."""

    deliver: DeliverTook
    plain: Took
    deliver_few: DeliverTook
    plain_few: Took


def measure(plan: Plan, directory: Path) -> list[Repetition]:
    """The sides take turns; one pair first warms caches and is not counted."""
    deliver_job(plan.few_sessions, directory / "warm-deliver")
    plain_job(plan.few_sessions, directory / "warm-plain")
    return [
        Repetition(
            deliver=deliver_job(plan.sessions, place / "deliver"),
            plain=plain_job(plan.sessions, place / "plain"),
            deliver_few=deliver_job(plan.few_sessions, place / "deliver-few"),
            plain_few=plain_job(plan.few_sessions, place / "plain-few"),
        )
        for place in (directory / f"repetition-{n + 1}" for n in range(plan.repetitions))
    ]


def aimed_figures(done: Sequence[Repetition], plan: Plan) -> list[Figure]:
    wall = ratios(
        [each.deliver.seen.per_session_s for each in done],
        [each.plain.seen.per_session_s for each in done],
    )
    cpu = ratios(
        [_per_session(each.deliver.cpu_s, each.deliver_few.cpu_s, plan) for each in done],
        [_per_session(each.plain.cpu_s, each.plain_few.cpu_s, plan) for each in done],
    )
    starts = Spread.of(_starts_deliver(done))
    peak = Spread.of([each.deliver.peak_mb for each in done])
    return [
        Figure("a session of deliver / of claude -p, wall", "x", wall, 1.10),
        Figure("a session of deliver / of claude -p, CPU", "x", cpu, 1.25),
        Figure("start of deliver to the first model request", "s", starts, 2.5),
        Figure("memory of the treadle process, peak", "MB", peak, 130),
    ]


def plain_figures(done: Sequence[Repetition], plan: Plan) -> list[Figure]:
    starts = _starts_deliver(done), _starts_plain(done)
    own = [_per_session(e.deliver.own_cpu_s, e.deliver_few.own_cpu_s, plan) for e in done]
    return [
        Figure("start to the first request, deliver / claude -p", "x", ratios(*starts)),
        Figure("start to the first request, claude -p", "s", Spread.of(starts[1])),
        *_side("deliver", [(each.deliver, each.deliver_few) for each in done], plan),
        Figure("  CPU of it in the treadle process", "s", Spread.of(own)),
        *_side("claude -p", [(each.plain, each.plain_few) for each in done], plan),
    ]


def _side(name: str, jobs: Sequence[tuple[Took, Took]], plan: Plan) -> list[Figure]:
    seen = [job.seen for job, _ in jobs]
    walls = Spread.of([each.per_session_s for each in seen])
    talking = Spread.of([each.talking_s for each in seen])
    between = Spread.of([each.per_session_s - each.talking_s for each in seen])
    cpu = Spread.of([_per_session(job.cpu_s, few.cpu_s, plan) for job, few in jobs])
    return [
        Figure(f"a session of {name}, wall", "s", walls),
        Figure("  from its first request to its last", "s", talking),
        Figure("  from there to the next one's first", "s", between),
        Figure(f"a session of {name}, CPU", "s", cpu),
    ]


def _per_session(many: float, few: float, plan: Plan) -> float:
    """What a session takes once started: the start is in both jobs, and cancels out."""
    return (many - few) / (plan.sessions - plan.few_sessions)


def _starts_deliver(done: Sequence[Repetition]) -> list[float]:
    return [job.start_s for each in done for job in (each.deliver, each.deliver_few)]


def _starts_plain(done: Sequence[Repetition]) -> list[float]:
    return [job.start_s for each in done for job in (each.plain, each.plain_few)]
