"""The strict policy lets ordinary work run: the lists of commands of `test_harmless_commands`."""

from pathlib import Path

from tests.unit.policy.judging.judge_line import context, said

LISTS = sorted((Path(__file__).parents[3] / "harmless_commands").glob("*.txt"))
# What stays closed: removing files, migrations without a place, scripts that are not there, work
# trees elsewhere.
MOST_REFUSED = 0.05


def test_at_most_five_in_a_hundred_harmless_commands_are_refused(tmp_path: Path) -> None:
    lines = [line for listed in LISTS for line in listed.read_text("utf-8").splitlines()]
    given = context(tmp_path)

    refused = [line for line in lines if said(line, given) != "allow"]

    assert (len(lines), refused[round(len(lines) * MOST_REFUSED) :]) == (1200, [])
