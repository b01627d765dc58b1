"""`treadle verify`: evidence that holds, and each way in which it can fail to."""

import json
import shutil
import subprocess
import zlib
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.missing import missing
from treadle.adapters.stores.evidence import EvidenceLogs
from treadle.adapters.stores.run_list import run_directory
from treadle.cli.context import CommandContext
from treadle.cli.main import run_command
from treadle.cli.terminal.evidence_table import evidence_table
from treadle.cli.terminal.styled_lines import RenderOptions, format_line
from treadle.domain.check import Check, Evidence
from treadle.domain.deliverable import Deliverable, Tally
from treadle.domain.events.verification import (
    CheckFinished,
    CriterionGrade,
    DeliverableGraded,
    SuiteFinished,
    SuiteGraded,
)
from treadle.domain.events.work import DeliverableChanged, DeliverableCreated
from treadle.domain.ids import RunId
from treadle.verify.checks.evidence_diff import CurrentEvidence, RecordedEvidence, compare_evidence

from .project_cli import ProjectCli
from .sample_runs import RUN, STARTED, ended

CHECK = "grep -q hello greeting.txt"
TESTS = "sh tests.sh"
THEN = "it was green\n"
WEAKER = "the agent changed tests.sh"
DELIVERABLE = Deliverable(
    "DL-1", "A greeting", ("it greets", "it is kind"), checks=(Check("it greets", CHECK),)
)


@dataclass(frozen=True)
class Proven:
    """A run with evidence, and the command line in its project."""

    cli: ProjectCli
    run: RunId
    commit: str
    log: Path

    def verify(self, *options: str, inside: Path | None = None) -> int:
        given = CommandContext(self.cli.environment, inside or self.cli.repository.path)
        return run_command(["verify", self.run[-8:], *options], given)


@pytest.fixture
def proven(cli: ProjectCli) -> Proven:
    if shutil.which("bwrap") is None:
        missing("bubblewrap")
    repository = cli.repository
    repository.write("greeting.txt", "hello\n")
    repository.write("tests.sh", "echo 1 passed; test -d .git; exit 3\n")
    repository.write("treadle.toml", 'version = 1\n[policy]\nprofiles = ["php"]\n')
    commit = repository.commit_all("Greet")
    logs = EvidenceLogs(run_directory(cli.root, RunId(f"{RUN[:-1]}4")))
    log = logs.keep(THEN)
    tree = repository.git("rev-parse", "HEAD^{tree}")
    evidence = Evidence(CHECK, "after", commit, tree, 0, 0.1, "elsewhere", log)
    suite = replace(evidence, command=TESTS, exit_code=3)
    run = cli.store_run(
        STARTED,
        DeliverableCreated(DELIVERABLE),
        CheckFinished("DL-1", "it greets", replace(evidence, when="before", exit_code=1), ""),
        CheckFinished("DL-1", "it greets", evidence, THEN),
        SuiteFinished(suite, (), None, ()),
        DeliverableGraded("DL-1", "proven", (CriterionGrade("it greets", "proven", "spec"),)),
        SuiteGraded(commit, "self-tested", "agent", WEAKER),
        DeliverableChanged("DL-1", "A greeting", "pending", "passed", "proven", commit),
        ended("all_passed", Tally(1, 0, 1), rounds=1),
    )
    return Proven(cli, run, commit, logs.path_of(log))


def fresh_clone(proven: Proven, *options: str) -> Path:
    repository = proven.cli.repository
    path = repository.path.parent / "fresh clone"
    command = ["git", "clone", "--quiet", *options, str(repository.path), str(path)]
    subprocess.run(command, env=dict(repository.environment), check=True)
    return path


@pytest.mark.parametrize("place", ["project", "clone"])
def test_evidence_that_holds_agrees_also_in_a_fresh_clone(
    proven: Proven, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    inside = fresh_clone(proven) if place == "clone" else None

    assert proven.verify(inside=inside) == 0

    tree = proven.cli.repository.git("rev-parse", "HEAD^{tree}")[:8]
    assert capsys.readouterr().out.splitlines() == [
        "CHECK            GRADE        JUDGE  THEN    NOW     TREE      ENV",
        f"DL-1: it greets  proven       spec   exit 0  exit 0  {tree}  differs",
        f"tests            self-tested  agent  exit 3  exit 3  {tree}  differs",
        f"tests: self-tested: {WEAKER}",
        "2 of 2 agree",
    ]
    assert list((proven.cli.root / "verifying").iterdir()) == []


def change_log(proven: Proven) -> str:
    proven.log.write_text(THEN.replace("green", "Green"))
    return f"its log {proven.log.stem[:12]} was changed: its SHA-256 has changed"


def remove_log(proven: Proven) -> str:
    proven.log.unlink()
    return f"its log {proven.log.stem[:12]} is missing"


def change_a_file_of_the_tree(proven: Proven) -> str:
    """One byte of it, as the repository keeps it."""
    repository = proven.cli.repository
    name = repository.git("rev-parse", "HEAD:greeting.txt")
    path = repository.path / ".git/objects" / name[:2] / name[2:]
    path.chmod(0o600)
    path.write_bytes(zlib.compress(zlib.decompress(path.read_bytes()).replace(b"hello", b"hallo")))
    return "greeting.txt in this repository is damaged: run `git fsck`"


@pytest.mark.parametrize("spoil", [change_log, remove_log, change_a_file_of_the_tree])
def test_one_byte_of_a_log_or_of_the_tree_is_enough_to_be_refused(
    proven: Proven, spoil: Callable[[Proven], str], capsys: pytest.CaptureFixture[str]
) -> None:
    reason = spoil(proven)

    assert proven.verify("--json") == 1

    document = json.loads(capsys.readouterr().out)
    assert (document["run"], document["agrees"]) == (proven.run, False)
    assert [each["reasons"] for each in document["evidence"]] == [[reason], [reason]]


def test_a_commit_that_the_clone_lacks_is_named_with_the_way_to_it(
    proven: Proven, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = proven.cli.repository
    repository.git("reset", "--quiet", "--hard", "HEAD~")
    clone = fresh_clone(proven, "--no-local")

    assert proven.verify(inside=clone) == 1

    way = f"git fetch {repository.path} {proven.commit}"
    reason = f"commit {proven.commit[:12]} is not in this repository: {way}"
    assert capsys.readouterr().out.splitlines() == [
        "CHECK            GRADE        JUDGE  THEN    NOW  TREE     ENV",
        "DL-1: it greets  proven       spec   exit 0  -    missing  unknown",
        "tests            self-tested  agent  exit 3  -    missing  unknown",
        f"tests: self-tested: {WEAKER}",
        f"✘ DL-1: it greets: {reason}",
        f"✘ tests: {reason}",
        "0 of 2 agree",
    ]
    fetch = ["git", "-C", str(clone), *way.split()[1:]]
    subprocess.run(fetch, env=dict(repository.environment), check=True, capture_output=True)
    assert proven.verify(inside=clone) == 0


def test_a_recorded_tree_that_is_not_that_of_the_commit_is_refused(
    proven: Proven, capsys: pytest.CaptureFixture[str]
) -> None:
    forged = _evidence(proven, tree="b" * 40)
    run = proven.cli.store_run(forged)

    assert replace(proven, run=run).verify("--json") == 1

    tree = proven.cli.repository.git("rev-parse", "HEAD^{tree}")[:12]
    document: Any = json.loads(capsys.readouterr().out)["evidence"][0]
    assert document["reasons"] == [
        f"the tree of commit {proven.commit[:12]} is {tree} here, and was bbbbbbbbbbbb then"
    ]
    assert document["now"] is None


def test_a_check_that_is_red_now_is_refused_with_what_it_said(
    proven: Proven, capsys: pytest.CaptureFixture[str]
) -> None:
    red = _evidence(proven, command="echo no greeting; exit 2")
    run = proven.cli.store_run(red)

    assert replace(proven, run=run).verify() == 1

    lines = capsys.readouterr().out.splitlines()
    assert lines[-4:] == [
        "✘ DL-1: it greets: it ended with exit code 2 now, and ended with exit code 0 then, in"
        " another environment",
        "  output now:",
        "  │ no greeting",
        "1 of 2 agree",
    ]


def test_the_same_surroundings_are_shown(
    proven: Proven, capsys: pytest.CaptureFixture[str]
) -> None:
    assert proven.verify("--json") == 0
    now = json.loads(capsys.readouterr().out)["evidence"][0]["now"]
    run = proven.cli.store_run(_evidence(proven, fingerprint=now["fingerprint"]))

    assert replace(proven, run=run).verify("--json", inside=fresh_clone(proven)) == 0

    document = json.loads(capsys.readouterr().out)["evidence"]
    assert [each["environment"] for each in document] == ["same", "differs"]


LOOSE = "unsandboxed: code of the run can do anything that you can do on this machine"


@pytest.mark.parametrize("given_up_by", ["option", "variable"])
def test_without_a_sandbox_one_line_warns_before_anything_runs(
    given_up_by: str, proven: Proven, tmp_path: Path
) -> None:
    said = tmp_path / "said.txt"
    # Green only if the warning was there when it ran.
    run = proven.cli.store_run(_evidence(proven, command=f"grep -q unsandboxed {said}"))
    environment = replace(proven.cli.environment, no_sandbox=given_up_by == "variable")
    there = Proven(replace(proven.cli, environment=environment), run, proven.commit, proven.log)

    with said.open("w") as errors, redirect_stderr(errors):
        assert there.verify(*(["--no-sandbox"] if given_up_by == "option" else [])) == 0

    assert said.read_text() == f"! {LOOSE}\n"


def test_a_program_is_warned_in_the_object_and_nobody_where_there_is_a_sandbox(
    proven: Proven, capsys: pytest.CaptureFixture[str]
) -> None:
    assert proven.verify("--json", "--no-sandbox") == 0
    loose = capsys.readouterr()
    assert proven.verify("--json") == 0
    held = capsys.readouterr()

    assert [json.loads(each.out)["warnings"] for each in (loose, held)] == [[LOOSE], []]
    assert (loose.err, held.err) == (f"! {LOOSE}\n", "")


@pytest.mark.parametrize(
    ("flaky", "red_at", "agrees"),
    [((), 1, False), (("a.py::test_a",), 1, True), (("a.py::test_a",), 2, False)],
)
def test_tests_that_were_flaky_are_given_a_second_try(
    flaky: tuple[str, ...],
    red_at: int,
    agrees: bool,
    proven: Proven,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # What a command leaves behind is gone afterwards, so that tries are counted outside.
    tries = proven.cli.root / "tries"
    command = f"echo >> {tries}; test $(wc -l < {tries}) -gt {red_at}"
    (suite,) = (e for e in proven.cli.events(proven.run) if isinstance(e, SuiteFinished))
    evidence = replace(suite.evidence, command=command, exit_code=0)
    run = proven.cli.store_run(replace(suite, evidence=evidence, flaky=flaky))

    # Unconfined, or it could not count.
    assert replace(proven, run=run).verify("--json", "--no-sandbox") == (0 if agrees else 1)

    document = json.loads(capsys.readouterr().out)["evidence"][-1]
    assert (document["kind"], document["now"]["exit_code"]) == ("tests", 0 if agrees else 1)
    assert len(tries.read_text()) == (2 if flaky else 1)


def test_the_project_is_set_up_before_its_checks_run_again(proven: Proven) -> None:
    made = proven.cli.store_run(_evidence(proven, command="grep -q made made.txt"))
    settings = proven.cli.repository.path / "treadle.toml"
    before = replace(proven, run=made).verify()
    settings.write_text(settings.read_text() + '[project]\nsetup = "echo made > made.txt"\n')

    assert (before, replace(proven, run=made).verify()) == (1, 0)


def test_a_run_without_evidence_has_nothing_to_verify(
    cli: ProjectCli, capsys: pytest.CaptureFixture[str]
) -> None:
    cli.store_run(STARTED, ended("all_passed", Tally(1, 0, 1), rounds=1))

    assert cli.treadle("verify") == 1
    assert capsys.readouterr().err.splitlines() == [
        "treadle: run 7c01d2e4 has no evidence: none of its passes was checked",
        "  hint: give criteria a check with `treadle check add`, or set project.test",
    ]


def test_a_run_of_which_nothing_stands_says_what_was_set_back(
    proven: Proven, capsys: pytest.CaptureFixture[str]
) -> None:
    shown, back = _evidence(proven), DeliverableChanged("DL-1", "x", "passed", "pending")
    run = proven.cli.store_run(STARTED, DeliverableCreated(DELIVERABLE), shown, back, number=5)

    assert replace(proven, run=run).verify() == 1
    assert capsys.readouterr().err.splitlines() == [
        "treadle: run 7c01d2e5 has no evidence left: its passes were set back (DL-1)",
        "  hint: see why with `treadle show 7c01d2e5`",
    ]


def test_outside_a_repository_the_way_to_a_clone_is_shown(
    proven: Proven, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = proven.cli.root / "elsewhere"
    outside.mkdir()

    assert proven.verify(inside=outside) == 1
    assert capsys.readouterr().err.splitlines() == [
        f"treadle: {outside} is not in a repository, so it has no commits of the run",
        "  hint: change to a clone that has them, or name one with -p",
    ]


def test_the_heading_fits_a_usual_screen_however_long_a_criterion_is() -> None:
    then = Evidence("true", "after", "c" * 40, "t" * 40, None, 0.1, "f", "l")
    recalled = RecordedEvidence("check", "DL-1", "it greets everybody " * 5, then)
    found = CurrentEvidence("kept", then.tree, replace(then, exit_code=137))

    heading, row = evidence_table([compare_evidence(recalled, found, origin="x")], RenderOptions())

    assert format_line(heading, RenderOptions()).endswith("ENV")
    assert format_line(row, RenderOptions()).endswith("same")


def test_evidence_with_your_tests_is_shown_below_that_on_the_work() -> None:
    then = Evidence("true", "after", "c" * 40, "t" * 40, 0, 0.1, "f", "l")
    pinned = replace(then, when="pinned", tree="p" * 40, judges_of="b" * 40)
    greets = RecordedEvidence(
        *("check", "DL-1", "it greets everybody " * 5, then),
        graded=CriterionGrade("it greets", "proven", "person"),
    )
    rows = [
        greets,
        replace(greets, evidence=pinned),
        RecordedEvidence("tests", "", "", then),
        RecordedEvidence("tests", "", "", pinned),
    ]
    diffs = [
        compare_evidence(each, CurrentEvidence("kept", each.evidence.tree, then), origin="x")
        for each in rows
    ]

    lines = evidence_table(diffs, RenderOptions())

    assert [format_line(line, RenderOptions()) for line in lines] == [
        "CHECK                  GRADE   JUDGE  THEN    NOW     TREE      ENV",
        "DL-1: it greets ever…  proven  you    exit 0  exit 0  tttttttt  same",
        "  with your tests                     exit 0  exit 0  pppppppp  same",
        "tests                  -       -      exit 0  exit 0  tttttttt  same",
        "  yours alone                         exit 0  exit 0  pppppppp  same",
    ]
    alone = evidence_table(diffs[1:2], RenderOptions())[1]
    assert format_line(alone, RenderOptions()).startswith("DL-1: it greets ever…")


def test_a_program_is_shown_which_evidence_is_with_your_tests(
    proven: Proven, capsys: pytest.CaptureFixture[str]
) -> None:
    base = proven.cli.repository.git("rev-parse", "HEAD~")
    run = proven.cli.store_run(_evidence(proven, when="pinned", judges_of=base))

    replace(proven, run=run).verify("--json")

    document = json.loads(capsys.readouterr().out)["evidence"]
    assert [each["graded"] for each in document] == [
        {"grade": "proven", "judge": "spec", "why": ""},
        {"grade": "proven", "judge": "spec", "why": ""},
        {"grade": "self-tested", "judge": "agent", "why": WEAKER},
    ]
    assert [(each["pinned"], each["then"]["judges_of"]) for each in document] == [
        (False, ""),
        (True, base),
        (False, ""),
    ]


def _evidence(proven: Proven, **changed: Any) -> CheckFinished:
    """As the run's log has it, with something else in it."""
    events = proven.cli.events(proven.run)
    last = [event for event in events if isinstance(event, CheckFinished)][-1]
    return replace(last, evidence=replace(last.evidence, **changed))
