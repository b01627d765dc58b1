"""Decides what the pinned tree of a command is: the work with the judges of the base. Pure.

Judges are restored or left out, mixed manifests merged; the product is never touched.
"""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from treadle.domain.check import FileChange
from treadle.domain.events.verification import EvidenceFileKind
from treadle.domain.pin_plan import MixedFile, PinAction, PinnedFile, PinPlan
from treadle.verify.commands.command_files import GIVEN, RUN, CommandFiles, read_command
from treadle.verify.commands.comparisons import files_looked_at
from treadle.verify.judges.inline_tests import (
    can_hold_tests,
    is_test_bearing,
    loses_document_tests,
    loses_tests,
)
from treadle.verify.judges.judge_files import is_in_judge_folder, judge_kind
from treadle.verify.judges.judge_references import (
    JudgeScripts,
    can_refer,
    judge_reference,
    linter_silence,
)
from treadle.verify.judges.python_test_names import PythonTestNames, read_python_test_names
from treadle.verify.judges.rust_tests import crate_documents, crate_sources
from treadle.verify.judges.support_files import SupportFiles
from treadle.verify.judges.tree_pair import TreePair
from treadle.verify.manifests.manifest_merge import Merge, first_settings_merge, manifest_merge
from treadle.verify.pins.shadow_files import (
    SHADOWS,
    find_namesakes,
    find_shadows,
    installed_reason,
    shadow_inputs,
)

MANIFEST = "scripts and settings of tools are those of the base"
IN_THE_WAY = "takes the place of {}"

_KIND_WORDS: dict[EvidenceFileKind, str] = {
    "tests": "tests and their data",
    "coverage": "settings of test runners",
    "runner": "loaded by runners and tools themselves",
    "ci": "CI",
    "lint": "settings of tools",
    "check": "used by a check",
    "specification": "the specification",
}
_RUNNER_SETTINGS = (
    *("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"),
    *("pyproject.toml", "setup.cfg", "tox.ini"),
)
# Linters leave out what these name.
_IGNORED = frozenset({".gitignore", ".ignore"})
_UNITTEST = frozenset({"unittest", "nose2", "nosetests", "green", "trial", "stestr"})
_UNITTEST_NAME = re.compile(r"test.*\.py$")
# Judges by the command whose imports and data judge, too.
_SCRIPTS = (RUN, GIVEN)
# Texts that nothing runs.
_DOCUMENTS = (".md", ".rst", ".txt", ".adoc", ".html")


def content_paths(command: str, trees: TreePair, setup: str = "") -> tuple[str, ...]:
    """The files whose contents the plan needs and has not; ask again once they are read."""
    return tuple(sorted(_Planner(command, setup, trees).missing_contents()))


def plan_pins(command: str, trees: TreePair, setup: str = "") -> PinPlan:
    """The pinned tree of a command, which runs after the project's setup command."""
    planner = _Planner(command, setup, trees)
    pins = {pin.path: pin for change in trees.changes if (pin := planner.pin(change))}
    pins |= {pin.path: pin for pin in planner.in_the_way(pins) if pin.path not in pins}
    others = sorted(change.path for change in trees.changes if change.path not in pins)
    mixed = tuple(file for path in others if (file := planner.mixed_file(path)))
    return PinPlan(trees.base, tuple(pins[path] for path in sorted(pins)), mixed)


@dataclass(frozen=True)
class _Planner:
    command: str
    setup: str
    trees: TreePair

    @cached_property
    def files(self) -> CommandFiles:
        return read_command(self.command, self.trees)

    @cached_property
    def _setup_files(self) -> CommandFiles:
        return read_command(self.setup, self.trees)

    @cached_property
    def _looked_at(self) -> frozenset[str]:
        judges = self.files.expectations | self._setup_files.judges.keys()
        return files_looked_at(self.command, self.trees) - judges

    @cached_property
    def _support(self) -> SupportFiles:
        judges = self.files.judges.items()
        scripts = frozenset(path for path, why in judges if why in _SCRIPTS)
        return SupportFiles(self.trees, scripts, frozenset(self._namesakes.values()))

    @cached_property
    def _support_reasons(self) -> dict[str, str]:
        return self._support.find() if self.files.runs_tests else {}

    @cached_property
    def _shadows(self) -> dict[str, str]:
        return find_shadows(self.trees, self.files)

    @cached_property
    def _namesakes(self) -> dict[str, str]:
        return find_namesakes(self.trees)

    def missing_contents(self) -> Iterator[str]:
        wanted = {
            *self.files.needed,
            *self._setup_files.needed,
            *shadow_inputs(self.trees, self.files),
            *(self._support.needed() if self.files.runs_tests else ()),
            *_RUNNER_SETTINGS,
            *(change.path for change in self.trees.changes if self._is_content_needed(change.path)),
        }
        if any(_is_vite_settings(change.path) for change in self.trees.changes):
            wanted |= {path for path in self.trees.base_paths if path.endswith("package.json")}
        if any(change.path.endswith(".md") for change in self.trees.changes):
            wanted |= set(crate_sources(self.trees))
        paths = self.trees.base_paths | self.trees.work_paths
        return (path for path in wanted & paths if not self.trees.has_read(path))

    def pin(self, change: FileChange) -> PinnedFile | None:
        """What happens to a changed file; None if the work's is taken."""
        path = change.path
        if why := installed_reason(path, self.trees) or self._shadow_reason(path):
            return _pin(change, why)
        if path in self._looked_at:
            return None
        merge = self._merge(path)
        why = self._judge_reason(path)
        if merge is None or is_in_judge_folder(path) or path in self.trees.links:
            return _pin(change, why) if why or merge else None
        if change.how == "removed":
            return _pin(change, why) if why else None
        return self._merged(change, why or MANIFEST)

    def _shadow_reason(self, path: str) -> str:
        if why := self._shadows.get(path):
            return why
        namesake = self._namesakes.get(path)
        return SHADOWS.format(namesake) if namesake and self._judge_reason(namesake) else ""

    def in_the_way(self, pins: dict[str, PinnedFile]) -> Iterator[PinnedFile]:
        """Files and links of the work where a folder of a restored file was, and the reverse."""
        added = self.trees.added
        for path in [pin.path for pin in pins.values() if pin.action != "left_out"]:
            folders = [path[:end] for end, sign in enumerate(path) if sign == "/"]
            below = [each for each in added if each.startswith(f"{path}/")]
            for each in (*(name for name in folders if name in self.trees.work_paths), *below):
                yield PinnedFile(each, "left_out", IN_THE_WAY.format(path))

    def mixed_file(self, path: str) -> MixedFile | None:
        """How a product file has a part in judging it: its own tests, or what it refers to."""
        before, after = self.trees.base_text(path), self.trees.work_text(path)
        if name := self._new_expectation(path):
            return MixedFile(path, "expectations", name)
        if self.files.runs_linters and (silence := linter_silence(before, after)):
            return MixedFile(path, "linters", silence)
        if not self.files.runs_tests:
            return None
        if self._is_unreadable(path):
            return MixedFile(path, "unread") if _can_judge_itself(path) else None
        names, runs_doctests = self._python_tests, self._runs_doctests
        if loses_tests(path, before, after, runs_doctests=runs_doctests, names=names):
            return MixedFile(path, "tests")
        is_document = posixpath.basename(path) in crate_documents(self.trees)
        if is_document and loses_document_tests(before, after):
            return MixedFile(path, "tests")
        reference = judge_reference(path, before, after, self._scripts_for(path))
        return MixedFile(path, "runner", reference) if reference else None

    def _scripts_for(self, path: str) -> JudgeScripts:
        scripts = {each for each, why in self.files.judges.items() if why == RUN}
        return JudgeScripts(bool(scripts), not scripts.isdisjoint(self._support.judges_of(path)))

    @cached_property
    def _python_tests(self) -> PythonTestNames:
        settings = map(self.trees.base_text, _RUNNER_SETTINGS)
        return read_python_test_names((*settings, self.command))

    @cached_property
    def _runs_doctests(self) -> bool:
        settings = map(self.trees.base_text, _RUNNER_SETTINGS)
        return self.files.runs_doctests or any("--doctest" in text for text in settings)

    def _merge(self, path: str) -> Merge | None:
        texts = [self.trees.base_text(name) for name in _RUNNER_SETTINGS]
        is_set = any(re.search(r"^\[(?:tool[:.])?pytest", text, re.MULTILINE) for text in texts)
        return manifest_merge(path) if is_set else first_settings_merge(path)

    @cached_property
    def _uses_vitest(self) -> bool:
        manifests = [path for path in self.trees.base_paths if path.endswith("package.json")]
        return "vitest" in self.command or any(
            "vitest" in self.trees.base_text(path) for path in manifests
        )

    def _judge_reason(self, path: str) -> str:
        if why := self.files.judges.get(path) or self._setup_files.judges.get(path):
            return why
        if why := self._support_reasons.get(path) or self._link_reason(path):
            return why
        if _is_vite_settings(path) and not self._uses_vitest:
            return ""
        if self.files.runs_linters and posixpath.basename(path) in _IGNORED:
            return _KIND_WORDS["lint"]
        kind = judge_kind(path) or self._python_kind(path)
        if kind is None and path in self.trees.links:
            # A link may stand for a whole folder of tests.
            kind = judge_kind(f"{path}/link")
        return _KIND_WORDS[kind] if kind else ""

    def _link_reason(self, path: str) -> str:
        """Why a file judges by the name of a link to it; the folder of the link says nothing, since
        tests may also link to the product."""
        for folder, name in self.trees.linked_names(path):
            link = posixpath.join(folder, name)
            if why := self.files.judges.get(link):
                return why
            if kind := judge_kind(name) or self._python_kind(name):
                return _KIND_WORDS[kind]
        return ""

    def _python_kind(self, path: str) -> EvidenceFileKind | None:
        """Only unittest looks for tests in every file whose name begins so; pytest is told."""
        if self._python_tests.is_test_file(path):
            return "tests"
        runs_unittest = not _UNITTEST.isdisjoint(self.files.programs) or any(
            posixpath.basename(judge) == "manage.py" for judge in self.files.judges
        )
        return "tests" if runs_unittest and _UNITTEST_NAME.match(posixpath.basename(path)) else None

    def _merged(self, change: FileChange, why: str) -> PinnedFile | None:
        path = change.path
        merge = self._merge(path)
        base, work = self.trees.base_contents.get(path), self.trees.work_contents.get(path)
        is_readable = work is not None and (base is not None or change.how == "added")
        merged = merge(base, work) if merge and work is not None and is_readable else None
        if merged is None or (merged == base and merged != work):
            return _pin(change, why)
        return None if merged == work else PinnedFile(path, "merged", MANIFEST, merged)

    def _is_content_needed(self, path: str) -> bool:
        is_product = judge_kind(path) is None
        return (
            first_settings_merge(path) is not None
            or (is_product and self.files.runs_tests and _is_source(path))
            or (is_product and (self.files.runs_linters or bool(self.files.expectations)))
        )

    def _is_unreadable(self, path: str) -> bool:
        sides = (self.trees.base_contents, self.trees.work_contents)
        return any(path in side and side[path] is None for side in sides)

    def _new_expectation(self, path: str) -> str:
        """What a product file's results are compared with, if it names that and did not before."""
        if path.endswith(_DOCUMENTS) or not self.files.expectations:
            return ""
        before, after = self.trees.base_text(path), self.trees.work_text(path)
        names = sorted({"/".join(each.split("/")[-2:]) for each in self.files.expectations})
        return next((name for name in names if name in after and name not in before), "")


def _pin(change: FileChange, why: str) -> PinnedFile:
    action: PinAction = "left_out" if change.how == "added" else "restored"
    return PinnedFile(change.path, action, why or MANIFEST)


def _can_judge_itself(path: str) -> bool:
    return is_test_bearing(path) or can_refer(path)


def _is_source(path: str) -> bool:
    return can_hold_tests(path) or can_refer(path)


def _is_vite_settings(path: str) -> bool:
    return posixpath.basename(path).startswith("vite.config.")
