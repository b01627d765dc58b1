"""`make crash-matrix`: every point, on SQLite and a few on PostgreSQL, and the page about it."""

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.crash_matrix.case import Case
from tests.crash_matrix.cases import AFTER_UPGRADE, CASES, ON_POSTGRES
from tests.crash_matrix.matrix import CaseVerdict, Matrix
from tests.crash_matrix.page import page
from tests.postgres import running_server
from tests.upgrades.earlier_version import commit_before, install_earlier

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "crash-matrix.md"
AT_ONCE = 2


def main() -> int:
    """All points, and the page is written; with words, the points that they name, and no page."""
    if words := sys.argv[1:]:
        named = [case for case in CASES if any(word in case.name for word in words)]
        return exit_code(judged(Matrix(), named))
    sqlite = judged(Matrix(), CASES)
    with running_server() as server:
        postgres = judged(Matrix(server.new_database), ON_POSTGRES)
    with TemporaryDirectory(prefix="treadle-earlier-") as folder:
        earlier = install_earlier(commit_before(), Path(folder))
        upgraded = judged(Matrix(earlier=earlier), AFTER_UPGRADE)
    PAGE.write_text(page(sqlite, postgres, upgraded), encoding="utf-8")
    return exit_code([*sqlite, *postgres, *upgraded])


def judged(matrix: Matrix, cases: Sequence[Case]) -> list[CaseVerdict]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [_print_verdict(each) for each in pool.map(matrix.judge, cases)]


def exit_code(found: Sequence[CaseVerdict]) -> int:
    held = sum(not each.failures for each in found)
    sys.stdout.write(f"{held} of {len(found)} points hold\n")
    return 0 if held == len(found) else 1


def _print_verdict(each: CaseVerdict) -> CaseVerdict:
    word = "FAILED" if each.failures else "ok"
    sys.stdout.write("\n    ".join((f"{word}  {each.case.name}", *each.failures)) + "\n")
    sys.stdout.flush()
    return each


if __name__ == "__main__":
    sys.exit(main())
