"""`make crash-matrix`: every point, on SQLite and a few on PostgreSQL, and the page about it."""

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.crash_matrix import queues
from tests.crash_matrix.case import Case
from tests.crash_matrix.cases import AFTER_UPGRADE, CASES, ON_POSTGRES
from tests.crash_matrix.following import POINTS, FollowingPoint, FollowingVerdict, judge
from tests.crash_matrix.matrix import CaseVerdict, Matrix
from tests.crash_matrix.page import page
from tests.crash_matrix.queues import QueuePoint, QueueVerdict
from tests.postgres import running_server
from tests.upgrades.earlier_version import commit_before, install_earlier

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "crash-matrix.md"
AT_ONCE = 2


def main() -> int:
    """All points, and the page is written; with words, the points that they name, and no page."""
    if words := sys.argv[1:]:
        named = [case for case in CASES if any(word in case.name for word in words)]
        points = [point for point in POINTS if any(word in point.name for word in words)]
        others = [point for point in queues.POINTS if any(word in point.name for word in words)]
        return exit_code(
            [
                *judged(Matrix(), named),
                *map(_judge_following, points),
                *map(_judge_queue, others),
            ]
        )
    sqlite = judged(Matrix(), CASES)
    with running_server() as server:
        postgres = judged(Matrix(server.new_database), ON_POSTGRES)
    with TemporaryDirectory(prefix="treadle-earlier-") as folder:
        earlier = install_earlier(commit_before(), Path(folder))
        upgraded = judged(Matrix(earlier=earlier), AFTER_UPGRADE)
    followed = [_judge_following(point) for point in POINTS]
    queued = [_judge_queue(point) for point in queues.POINTS]
    text = page(sqlite, postgres, upgraded, followed, queued)
    PAGE.write_text(text, encoding="utf-8")
    return exit_code([*sqlite, *postgres, *upgraded, *followed, *queued])


def _judge_following(point: FollowingPoint) -> FollowingVerdict:
    verdict = judge(point)
    _print_result(point.name, verdict.failures)
    return verdict


def _judge_queue(point: QueuePoint) -> QueueVerdict:
    verdict = queues.judge(point)
    _print_result(point.name, verdict.failures)
    return verdict


def judged(matrix: Matrix, cases: Sequence[Case]) -> list[CaseVerdict]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [_print_verdict(each) for each in pool.map(matrix.judge, cases)]


def exit_code(found: Sequence[CaseVerdict | FollowingVerdict | QueueVerdict]) -> int:
    held = sum(not each.failures for each in found)
    sys.stdout.write(f"{held} of {len(found)} points hold\n")
    return 0 if held == len(found) else 1


def _print_verdict(each: CaseVerdict) -> CaseVerdict:
    _print_result(each.case.name, each.failures)
    return each


def _print_result(name: str, failures: Sequence[str]) -> None:
    word = "FAILED" if failures else "ok"
    sys.stdout.write("\n    ".join((f"{word}  {name}", *failures)) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
