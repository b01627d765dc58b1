"""A project on a fake GitHub whose pull request is followed: what CI and people do with it, and the
log as it grows."""

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.acceptance.harness import Finished
from tests.acceptance.test_lifecycle import wait_for
from tests.acceptance.test_task import PLANNER, SOON
from tests.acceptance.test_task_pull_request import ForgeHarness, said
from tests.github.fake_github import FakeGitHub
from tests.github.fake_state import FakeJob, FakePullRequest
from tests.github.git_backend import commit_of, git
from treadle.cli.json_output import printable_json
from treadle.domain.errors import TreadleError
from treadle.domain.storage import Storage
from treadle.domain.wire import encode_recorded
from treadle.runs.find import find_run, open_logs

FOLLOWS = {**SOON, "task.follow_interval_s": "0.2"}
LOG = (
    "2026-05-04T12:00:01.0000000Z lint: hello.txt has no full stop\n"
    "2026-05-04T12:00:03.0000000Z ##[error]Process completed with exit code 1.\n"
)
STEP = {
    "name": "Run make",
    "status": "completed",
    "conclusion": "failure",
    "number": 1,
    "started_at": "2026-05-04T12:00:01Z",
    "completed_at": "2026-05-04T12:00:03Z",
}


def mending(name: str) -> str:
    """A session that looks around, adds a file and says so. One that was cut off goes on."""
    return (
        "  - role: implementer\n    turns:\n"
        "      - tool: Bash\n        input: {command: git status}\n"
        "      - tool: Bash\n"
        f'        input: {{command: "echo {name} > {name}.txt && git add -A'
        f" && git commit -qm 'Add {name}'\"}}\n"
        "      - text: <DONE>Mended.</DONE>\n"
        "      - {text: <DONE>Mended.</DONE>, optional: true}\n"
    )


def commit(name: str, content: str) -> str:
    return (
        "      - tool: Bash\n        input: {command: \"printf '%s\\\\n' "
        f"'{content}' > {name} && git add {name} && git commit -qm 'Write {name}'\"}}\n"
    )


CLAIMS = "".join(
    "      - tool: mcp__treadle__set_deliverable_status\n"
    f"        input: {{deliverableId: {name}, status: passed}}\n"
    for name in ("C1", "C2")
)
TESTED = {"project.test": '"python3 -m unittest -v"'}
_TEST = "import greet, unittest; T = type(chr(84), (unittest.TestCase,), dict(test_it=lambda s: s.assertEqual(greet.word, chr(72))))"  # noqa: E501
# The test is red, because the word is wrong.
IN_THREE_COMMITS = (
    "  - role: implementer\n    turns:\n"
    + commit("hello.txt", "hello")
    + commit("greet.py", "word = chr(73)")
    + commit("test_greet.py", _TEST)
    + f"{CLAIMS}      - text: <DONE>Said.</DONE>\n"
    # What a resumed session may say once more, if its words were lost with the process.
    "      - {text: <DONE>Said.</DONE>, optional: true}\n"
)
MENDS_THE_TEST = (
    "  - role: implementer\n    turns:\n"
    + commit("greet.py", "word = chr(72)")
    + f"{CLAIMS}      - text: <DONE>Mended.</DONE>\n"
)
OTHER_PLAN = PLANNER.replace("Say hello\n", "Say hello, tested\n")
# Of the whole branch, after CI and a comment were answered; the newest first.
SUBJECTS = [
    "Add manners",
    "Add stop",
    "Write greet.py",
    "Write test_greet.py",
    "Write greet.py",
    "Write hello.txt",
]


class FollowHarness(ForgeHarness):
    """Its one pull request: ada may write, eve may not."""

    def __init__(self, directory: Path, github: FakeGitHub) -> None:
        super().__init__(directory, github)
        self.settings(FOLLOWS)
        self.repository.access |= {"ada": "write", "eve": "read"}

    @property
    def request(self) -> FakePullRequest:
        (request,) = self.pull_requests
        return request

    @property
    def head(self) -> str:
        return commit_of(self.github.bare(self.repository), self.request.branch)

    @property
    def subjects(self) -> list[str]:
        """Of the commits that were pushed, the newest first."""
        bare = str(self.github.bare(self.repository))
        return git("-C", bare, "log", "--format=%s", f"main..{self.request.branch}").splitlines()

    @property
    def sent(self) -> list[str]:
        """Everything that changed something on GitHub, in order."""
        return [
            f"{each.method} {each.path.rpartition('/acme/')[2] or each.path}"
            for each in self.github.received
            if each.method != "GET" and each.status < 400 and "upload-pack" not in each.path
        ]

    def log(self) -> Finished:
        """Of the one run, as `treadle logs --json` prints it; empty before there is one."""
        storage = Storage(self.root)
        with suppress(TreadleError), open_logs(storage) as store:
            run = find_run(storage, "last", directory=self.project).id
            lines = [printable_json(encode_recorded(each)).decode() for each in store.read(run)]
            return Finished(0, "\n".join(lines), "")
        return Finished(0, "", "")

    def until(self, event_type: str, count: int = 1) -> Finished:
        """The log, once it has so many events of this type."""
        found: list[Finished] = []

        def is_there() -> bool:
            found[:] = [self.log()]
            return len(found[0].of_type(event_type)) >= count

        wait_for(is_there)
        return found[0]

    def looked(self, times: int = 3) -> None:
        """Once the run has looked so often at all that was said until now."""
        before = len(self.github.requests("/issues/1/comments"))
        wait_for(lambda: len(self.github.requests("/issues/1/comments")) >= before + times)

    def fail_ci(self, name: str = "lint", *, commit: str = "") -> None:
        number = self.repository.next_id()
        at = commit or self.head
        job = FakeJob(number, name, at, conclusion="failure", steps=[STEP], log=LOG)
        with self.github.lock:
            self.repository.jobs[number] = job

    def comment(self, login: str, body: str) -> dict[str, Any]:
        words = said(self, login, body)
        with self.github.lock:
            self.request.comments.append(words)
        return words

    def merge(self) -> None:
        with self.github.lock:
            self.request.head = self.head
            self.request.state = "closed"
            self.request.merged_at = self.repository.next_time()

    def end(self) -> None:
        """End whatever a test left at work here."""
        if self.treadle("cancel", "last").exit_code == 0:
            with suppress(AssertionError):
                wait_for(lambda: not self._living())
        for process in self._living():
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)

    def _living(self) -> list[int]:
        mark, found = f"TREADLE_ROOT={self.root}\0".encode(), []
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if entry.name.isdigit() and mark in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
        return found
