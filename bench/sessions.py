"""Sessions through `treadle deliver` against the same by `claude -p` in a shell loop."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TypeVar

from bench.figures import Figure, Spread, ratios
from bench.jobs import RunningJob, Took, deliver_job, lean_job, peak_mb, plain_job, spoken_job

# So many sessions a side plays before it is the next one's turn. The first of them does not count:
# it finds the processor's caches full of the others.
TURN = 2
# Nothing around the agent: what the loop itself costs. The sandbox is measured beside it.
LOOSE = "--no-sandbox"


@dataclass(frozen=True, slots=True)
class Turns:
    """A job of each side that an aim compares; their sessions took turns."""

    deliver: Took
    plain: Took
    sandboxed: Took


@dataclass(frozen=True, slots=True)
class Repetition(Turns):
    """The same with a job of each side that explains them."""

    lean: Took
    spoken: Took
    deliver_mb: float
    sandboxed_mb: float


def measure(sessions: int, directory: Path, *, repetitions: int) -> list[Repetition]:
    """One short repetition first fills caches and is not counted."""
    _measure(1 + TURN, directory, "first")
    return [_measure(sessions, directory, str(number)) for number in range(1, repetitions + 1)]


def measure_more(sessions: int, directory: Path, *, repetitions: int) -> list[Turns]:
    """The compared sides alone: what is left of a busy minute in each ratio needs many of them."""
    return [_measure_turns(sessions, directory, f"more-{n}") for n in range(1, repetitions + 1)]


def _measure_turns(sessions: int, directory: Path, name: str) -> Turns:
    with (
        deliver_job(sessions, directory / f"deliver-{name}", LOOSE) as deliver,
        plain_job(sessions, directory / f"plain-{name}") as plain,
        deliver_job(sessions, directory / f"sandboxed-{name}") as sandboxed,
    ):
        _play(sessions, deliver, plain, sandboxed)
        return Turns(deliver.finish(), plain.finish(), sandboxed.finish())


def _play(sessions: int, *jobs: RunningJob) -> None:
    for _ in range((sessions - 1) // TURN):
        for job in jobs:
            job.play(TURN)


def _measure(sessions: int, directory: Path, name: str) -> Repetition:
    """Turn by turn, each side while the others stand still: a slow moment hits all."""
    loose, boxed = directory / f"deliver-{name}", directory / f"sandboxed-{name}"
    with (
        spoken_job(sessions, directory / f"spoken-{name}") as spoken,
        lean_job(sessions, directory / f"lean-{name}") as lean,
        deliver_job(sessions, loose, LOOSE) as deliver,
        plain_job(sessions, directory / f"plain-{name}") as plain,
        deliver_job(sessions, boxed) as sandboxed,
    ):
        # Who is compared with whom plays next to whom.
        _play(sessions, spoken, lean, deliver, plain, sandboxed)
        return Repetition(
            deliver.finish(),
            plain.finish(),
            sandboxed.finish(),
            lean.finish(),
            spoken.finish(),
            peak_mb(loose),
            peak_mb(boxed),
        )


R = TypeVar("R", bound=Turns)
Side = Callable[[Repetition], Took]
Quantity = Callable[[Took], float]


def _deliver(each: Turns) -> Took:
    return each.deliver


def _sandboxed(each: Turns) -> Took:
    return each.sandboxed


def _plain(each: Turns) -> Took:
    return each.plain


def _lean(each: Repetition) -> Took:
    return each.lean


def _spoken(each: Repetition) -> Took:
    return each.spoken


def aimed_figures(done: Sequence[Repetition], more: Sequence[Turns]) -> list[Figure]:
    starts = Spread.of([each.deliver.start_s for each in done])
    peaks = Spread.of([each.deliver_mb for each in done])
    sandboxed_peaks = Spread.of([each.sandboxed_mb for each in done])
    every: list[Turns] = [*done, *more]
    return [
        _paired("a session of deliver / of claude -p, wall", every, _deliver, _plain, 1.10),
        _ratio("a session of deliver / of claude -p, CPU", done, _cpu, 1.25),
        Figure("start of deliver to the first model request", "s", starts, 2.5),
        Figure("memory of the treadle process, peak", "MB", peaks, 130),
        _paired(
            "a sandboxed session of deliver / of claude -p, wall", every, _sandboxed, _plain, 1.15
        ),
        Figure("memory of the treadle process, sandboxed, peak", "MB", sandboxed_peaks, 160),
    ]


def _paired(
    name: str,
    done: Sequence[R],
    ours: Callable[[R], Took],
    theirs: Callable[[R], Took],
    aim: float | None = None,
) -> Figure:
    """Each turn against the one of the other side next to it; of a job's ratios the middle one."""
    pairs = [ratios(_turns_s(ours(each)), _turns_s(theirs(each))) for each in done]
    return Figure(name, "x", Spread.of([pair.middle for pair in pairs]), aim)


def _turns_s(job: Took) -> list[float]:
    """Of each turn the middle session."""
    walls = job.seen.walls_s
    return [median(walls[at + 1 : at + TURN]) for at in range(0, len(walls), TURN)]


def plain_figures(done: Sequence[Repetition]) -> list[Figure]:
    plain = [each.plain for each in done]
    deliver = [each.deliver for each in done]
    guarded = [each.sandboxed for each in done]
    own = Spread.of([job.seen.own_cpu_s for job in deliver])
    return [
        *_against_lean(done),
        _ratio("whole job, deliver / claude -p, wall", done, lambda job: job.wall_s),
        _ratio("whole job, deliver / claude -p, CPU", done, lambda job: job.cpu_s),
        _ratio("start to the first request, deliver / claude -p", done, lambda job: job.start_s),
        Figure("start to the first request, claude -p", "s", _spread(plain, lambda j: j.start_s)),
        *_side("deliver", deliver),
        Figure("  of it in the treadle process", "s", own),
        *_side("sandboxed deliver", guarded),
        Figure("  start to its first request", "s", _spread(guarded, lambda job: job.start_s)),
        *_side("claude -p", plain),
        *_side("claude -p, lean", [each.lean for each in done]),
    ]


def _against_lean(done: Sequence[Repetition]) -> list[Figure]:
    """The same against a loop with the flags that Treadle gives, too."""
    return [
        _paired("a session of deliver / of claude -p, lean, wall", done, _deliver, _lean),
        _ratio("a session of deliver / of claude -p, lean, CPU", done, _cpu, theirs=_lean),
        _paired("  sandboxed / of claude -p, lean, wall", done, _sandboxed, _lean),
        _paired("  by the adapter alone / of claude -p, lean, wall", done, _spoken, _lean),
    ]


def _side(name: str, jobs: Sequence[Took]) -> list[Figure]:
    return [
        Figure(f"a session of {name}, wall", "s", _spread(jobs, _wall)),
        Figure("  its first request to its last", "s", _spread(jobs, lambda j: j.seen.talking_s)),
        Figure(
            "  its last to the next one's first", "s", _spread(jobs, lambda j: j.seen.between_s)
        ),
        Figure(f"a session of {name}, CPU", "s", _spread(jobs, _cpu)),
    ]


def _ratio(
    name: str,
    done: Sequence[Repetition],
    quantity: Quantity,
    aim: float | None = None,
    *,
    theirs: Side = _plain,
) -> Figure:
    pairs = [(quantity(_deliver(each)), quantity(theirs(each))) for each in done]
    return Figure(name, "x", ratios(*zip(*pairs, strict=True)), aim)


def _spread(jobs: Sequence[Took], quantity: Quantity) -> Spread:
    return Spread.of([quantity(job) for job in jobs])


def _wall(job: Took) -> float:
    return job.seen.wall_s


def _cpu(job: Took) -> float:
    return job.seen.cpu_s
