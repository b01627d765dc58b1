"""Sessions through `treadle deliver` against the same by `claude -p` in a shell loop."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Figure, Spread, ratios
from bench.jobs import DeliverTook, Took, deliver_job, plain_job

# Nothing around the agent: what the loop itself costs. The sandbox is measured beside it.
LOOSE = "--no-sandbox"


@dataclass(frozen=True, slots=True)
class Repetition:
    """A job of each side, one right after the other."""

    deliver: DeliverTook
    plain: Took
    sandboxed: DeliverTook


def measure(sessions: int, directory: Path, *, repetitions: int) -> list[Repetition]:
    """The sides take turns; one short pair first fills caches and is not counted."""
    deliver_job(2, directory / "first-deliver", LOOSE)
    plain_job(2, directory / "first-plain")
    deliver_job(2, directory / "first-sandboxed")
    return [
        Repetition(
            deliver_job(sessions, directory / f"deliver-{number}", LOOSE),
            plain_job(sessions, directory / f"plain-{number}"),
            deliver_job(sessions, directory / f"sandboxed-{number}"),
        )
        for number in range(1, repetitions + 1)
    ]


def aimed_figures(done: Sequence[Repetition]) -> list[Figure]:
    starts = Spread.of([each.deliver.job.start_s for each in done])
    peaks = Spread.of([each.deliver.peak_mb for each in done])
    return [
        _ratio("a session of deliver / of claude -p, wall", done, _wall, 1.10),
        _ratio("a session of deliver / of claude -p, CPU", done, _cpu, 1.25),
        Figure("start of deliver to the first model request", "s", starts, 2.5),
        Figure("memory of the treadle process, peak", "MB", peaks, 130),
        Figure("a sandboxed session of deliver / of claude -p, wall", "x", _guarded(done), 1.15),
        Figure(
            "memory of the treadle process, sandboxed, peak",
            "MB",
            Spread.of([each.sandboxed.peak_mb for each in done]),
            160,
        ),
    ]


def _guarded(done: Sequence[Repetition]) -> Spread:
    ours = [_wall(each.sandboxed.job) for each in done]
    return ratios(ours, [_wall(each.plain) for each in done])


def plain_figures(done: Sequence[Repetition]) -> list[Figure]:
    plain = [each.plain for each in done]
    deliver = [each.deliver.job for each in done]
    guarded = [each.sandboxed.job for each in done]
    own = Spread.of([job.seen.own_cpu_s for job in deliver])
    return [
        _ratio("whole job, deliver / claude -p, wall", done, lambda job: job.wall_s),
        _ratio("whole job, deliver / claude -p, CPU", done, lambda job: job.cpu_s),
        _ratio("start to the first request, deliver / claude -p", done, lambda job: job.start_s),
        Figure("start to the first request, claude -p", "s", _spread(plain, lambda j: j.start_s)),
        *_side("deliver", deliver),
        Figure("  of it in the treadle process", "s", own),
        *_side("sandboxed deliver", guarded),
        Figure("  start to its first request", "s", _spread(guarded, lambda job: job.start_s)),
        *_side("claude -p", plain),
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
    figure: Callable[[Took], float],
    aim: float | None = None,
) -> Figure:
    ours, theirs = [figure(e.deliver.job) for e in done], [figure(e.plain) for e in done]
    return Figure(name, "x", ratios(ours, theirs), aim)


def _spread(jobs: Sequence[Took], figure: Callable[[Took], float]) -> Spread:
    return Spread.of([figure(job) for job in jobs])


def _wall(job: Took) -> float:
    return job.seen.wall_s


def _cpu(job: Took) -> float:
    return job.seen.cpu_s
