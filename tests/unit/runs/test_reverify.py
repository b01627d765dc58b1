"""Evidence with the judges of the base is run again on a pinned tree that is planned anew."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.builders import repository_in
from tests.missing import missing
from tests.unit.cli.project_cli import ProjectCli
from tests.unit.cli.sample_runs import RUN, STARTED
from treadle.adapters.stores.evidence import EvidenceLogs
from treadle.adapters.stores.run_list import run_directory
from treadle.domain.check import Check, Evidence
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.verification import CheckFinished, SuiteFinished
from treadle.domain.events.work import DeliverableChanged, DeliverableCreated
from treadle.domain.ids import RunId
from treadle.domain.pin_plan import PinnedFile, PinPlan
from treadle.runs.find import find_run
from treadle.runs.reverify import ReverifyTarget, verify_run
from treadle.settings.environment import parse_environment
from treadle.verify.checks.evidence_diff import EvidenceDiff
from treadle.verify.pins.judge_pins import JudgePins
from treadle.wiring.checked_request import CheckedRequest

CHECK = "sh check.sh"
DELIVERABLE = Deliverable("DL-1", "A greeting", ("it greets",), checks=(Check("it greets", CHECK),))
JUDGES = (PinnedFile("check.sh", "restored", "tests"), PinnedFile("cat", "left_out", "a shadow"))


@dataclass(frozen=True)
class Rules:
    """Stands in for the rules that choose the judges."""

    files: tuple[PinnedFile, ...] = JUDGES
    asked: list[tuple[str, str, str]] = field(default_factory=list)

    def judges(self, _: CheckedRequest) -> JudgePins:
        return self

    async def plan(self, command: str, base: str, tip: str) -> PinPlan:
        self.asked.append((command, base, tip))
        return PinPlan(base, self.files)

    async def changed_paths(self, base: str, tip: str) -> Sequence[str]:
        return ()


@dataclass(frozen=True)
class PinnedRun:
    """A run whose check was green on the work, and also with the judges of the base."""

    cli: ProjectCli
    base: str
    tip: str
    tree: str

    async def verify(self, rules: Rules, inside: Path | None = None) -> list[EvidenceDiff]:
        row = find_run(self.cli.environment.storage, "last", directory=self.cli.repository.path)
        target = ReverifyTarget(inside or self.cli.repository.path, self.cli.environment)
        return await verify_run(row, target, lambda title: None, rules.judges)


@pytest.fixture
def pinned_run(tmp_path: Path) -> PinnedRun:
    if shutil.which("bwrap") is None:
        missing("bubblewrap")
    repository = repository_in(tmp_path, **{"check.sh": "grep -q hello greeting.txt\n"})
    raw = {**repository.environment, "TREADLE_ROOT": str(tmp_path / "root")}
    cli = ProjectCli(repository, parse_environment(raw))
    repository.write("treadle.toml", 'version = 1\n[policy]\nprofiles = ["php"]\n')
    base = repository.commit_all("Base")
    for name, text in {"greeting.txt": "hello\n", "check.sh": "exit 0\n", "cat": ""}.items():
        repository.write(name, text)
    tip = repository.commit_all("Work")
    repository.git("checkout", "--quiet", base, "--", "check.sh")
    repository.git("rm", "--quiet", "--force", "cat")
    tree = repository.git("write-tree")
    repository.git("reset", "--quiet", "--hard")
    log = EvidenceLogs(run_directory(cli.root, RunId(f"{RUN[:-1]}4"))).keep("green\n")
    work = repository.git("rev-parse", f"{tip}^{{tree}}")
    evidence = Evidence(CHECK, "after", tip, work, 0, 0.1, "elsewhere", log)
    pinned = replace(evidence, when="pinned", tree=tree, judges_of=base)
    cli.store_run(
        STARTED,
        DeliverableCreated(DELIVERABLE),
        CheckFinished("DL-1", "it greets", evidence, ""),
        CheckFinished("DL-1", "it greets", pinned, ""),
        SuiteFinished(evidence, (), None, ()),
        SuiteFinished(pinned, (), None, ()),
        DeliverableChanged("DL-1", "A greeting", "pending", "passed", "proven", tip),
    )
    return PinnedRun(cli, base, tip, tree)


async def test_each_is_run_again_on_the_work_and_with_the_judges_of_the_base(
    pinned_run: PinnedRun,
) -> None:
    rules = Rules()

    rows = await pinned_run.verify(rules)

    assert [(each.recorded.title, each.reasons) for each in rows] == [
        ("DL-1: it greets", ()),
        ("DL-1: it greets, with your tests", ()),
        ("tests", ()),
        ("tests, yours alone", ()),
    ]
    now = [each.current.now for each in rows if each.recorded.is_pinned]
    assert [(each.tree, each.judges_of, each.when) for each in now if each] == [
        (pinned_run.tree, pinned_run.base, "verify")
    ] * 2
    assert rules.asked == [(CHECK, pinned_run.base, pinned_run.tip)] * 2


async def test_judges_that_other_rules_choose_are_named_and_not_run(pinned_run: PinnedRun) -> None:
    rows = await pinned_run.verify(Rules(JUDGES[:1]))

    tree, tip, base = rows[1].current.tree, pinned_run.tip, pinned_run.base
    reason = (
        f"the tree of commit {tip[:12]} with the tests and checks of {base[:12]} is"
        f" {tree[:12]} here, and was {pinned_run.tree[:12]} then: another version of Treadle may"
        " choose other files"
    )
    assert tree not in ("", pinned_run.tree)
    assert [each.reasons for each in rows] == [(), (reason,), (), (reason,)]
    assert [each.current.now is None for each in rows] == [False, True, False, True]


async def test_a_base_that_the_clone_lacks_is_named_with_the_way_to_it(
    pinned_run: PinnedRun, tmp_path: Path
) -> None:
    repository, clone = pinned_run.cli.repository, tmp_path / "clone"
    source = f"file://{repository.path}"
    repository.git("clone", "--quiet", "--depth=1", source, str(clone))

    rows = await pinned_run.verify(Rules(), clone)

    fetch = f"git fetch {repository.path} {pinned_run.base}"
    reason = f"commit {pinned_run.base[:12]} is not in this repository: {fetch}"
    assert [each.reasons for each in rows] == [(), (reason,), (), (reason,)]


async def test_a_damaged_file_of_the_base_is_named(pinned_run: PinnedRun) -> None:
    repository = pinned_run.cli.repository
    name = repository.git("rev-parse", f"{pinned_run.base}:check.sh")
    path = repository.path / ".git/objects" / name[:2] / name[2:]
    path.chmod(0o600)
    path.write_bytes(path.read_bytes()[:-4])

    rows = await pinned_run.verify(Rules())

    reason = "check.sh in this repository is damaged: run `git fsck`"
    assert [each.reasons for each in rows] == [(), (reason,), (), (reason,)]
