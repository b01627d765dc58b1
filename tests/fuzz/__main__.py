"""`make fuzz`: random lines in our reader and in real bash; ends with 1 if bash did more."""

import argparse
import json
import secrets
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path

from tests.fuzz.bash import bubblewrap
from tests.fuzz.line_batch import Tally, try_lines
from tests.fuzz.strings import lines
from treadle.adapters.shell.shfmt import find_shfmt

CASES = Path(__file__).parents[1] / "policy_cases.jsonl"
KEPT = Path(__file__).parents[2] / "build" / "fuzz-failures.txt"
_BATCH = 500
_AT_ONCE = 2


def main() -> int:
    options = _options()
    bwrap = bubblewrap()
    if bwrap is None:
        sys.stderr.write("bwrap is missing: install bubblewrap\n")
        return 2
    sys.stdout.write(f"seed {options.seed}, {options.strings} lines\n")
    started = time.monotonic()
    total = Tally()
    batches = _batches(options.seed, options.strings, cases(options.cases))
    with ProcessPoolExecutor(_AT_ONCE) as pool:
        # A few at a time, so that the bound in time holds.
        while few := list(islice(batches, 2 * _AT_ONCE)):
            total = sum(pool.map(_try, few, [bwrap] * len(few)), start=total)
            if time.monotonic() - started > options.seconds:
                sys.stdout.write("out of time\n")
                break
    return _report(total, time.monotonic() - started)


def cases(path: Path = CASES) -> list[str]:
    """The lines of the case file, to start mutations from."""
    rows = path.read_text(encoding="utf-8").strip().split("\n")
    return [json.loads(row)["cmd"] for row in rows]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--strings", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000))
    parser.add_argument("--seconds", type=float, default=1200.0)
    parser.add_argument("--cases", type=Path, default=CASES)
    return parser.parse_args()


def _batches(seed: int, count: int, known: list[str]) -> Iterator[list[str]]:
    source = islice(lines(seed, known), count)
    while batch := list(islice(source, _BATCH)):
        yield list(dict.fromkeys(batch))


def _try(batch: list[str], bwrap: str) -> Tally:
    return try_lines(batch, shfmt=find_shfmt(), bwrap=bwrap)


def _report(total: Tally, seconds: float) -> int:
    for failure in total.failures:
        sys.stdout.write(f"FAILED {failure}\n")
    if total.failures:
        KEPT.parent.mkdir(exist_ok=True)
        KEPT.write_text("\n".join(total.failures) + "\n", encoding="utf-8")
        sys.stdout.write(f"kept in {KEPT}\n")
    sys.stdout.write(
        f"{total.lines} different lines, {total.readable} readable, {total.cheap} read cheaply and"
        f" in full, {total.run} run in bash, {total.active} of them did something,"
        f" {len(total.failures)} failures, {seconds:.0f} s\n"
    )
    return 1 if total.failures else 0


if __name__ == "__main__":
    sys.exit(main())
