"""Whole runs with the login of a subscription, which the user's own Claude Code keeps and renews.

The hosts of the subscription are fake ones behind the user's proxy; the command is not told so.
"""

import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.acceptance.harness import (
    BUILD_IT,
    ONE_DELIVERABLE,
    TREADLE,
    CommandHarness,
    Finished,
    script,
)
from tests.identity.claude_process import renew_login, wait_until
from tests.identity.service import IdentityService
from tests.identity.token_issuer import stored_login
from treadle.rehearsal.fixtures import Rehearse

# Every token that the fake service issues has this in it.
ISSUED = "made-up-"
EXPIRED = -3600

WORK_FOR_LONG = """
  - role: implementer
    turns:
      - tool: Write
        input: {file_path: hello.txt, content: "hello\\n"}
      - {tool: Read, input: {file_path: SPEC.md}, repeat: 12}
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-001, status: passed}
      - text: Built and checked.
"""

LOOK_FOR_TOKENS = """
  - role: implementer
    turns:
      - tool: Bash
        input: {command: 'python3 look.py', timeout: 90000}
      - expect: ["tokens: ['made-up-marker']"]
        tool: Write
        input: {file_path: hello.txt, content: "hello\\n"}
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-001, status: passed}
      - text: Built and checked.
"""

# What was written since the user logged in, anywhere, and what every process was started with. The
# marker is in a file of the project, to show that the search finds what is there. Then it tries to
# leave another login where the user's is.
LOOK = """
import os, re
from pathlib import Path

found = set()
def search(path):
    try:
        with open(path, "rb") as file:
            found.update(re.findall(rb"made-up-(?:[0-9]+|marker)", file.read(1 << 22)))
    except OSError:
        pass

for folder, names, files in os.walk("/"):
    names[:] = [name for name in names if (folder, name) not in (("/", "proc"), ("/", "sys"))]
    for name in files:
        path = os.path.join(folder, name)
        try:
            recent = os.stat(path).st_mtime >= %(since)r
        except OSError:
            continue
        if recent and os.path.isfile(path):
            search(path)
for process in Path("/proc").iterdir():
    if process.name.isdigit():
        search(process / "environ")
        search(process / "cmdline")
print("tokens:", sorted(each.decode() for each in found))
for home in (Path.home(), Path(%(home)r)):
    try:
        (home / ".claude").mkdir(parents=True, exist_ok=True)
        (home / ".claude/.credentials.json").write_text('{"claudeAiOauth": {"accessToken": "x"}}')
    except OSError:
        pass
"""


class SubscriptionHarness(CommandHarness):
    """A project whose user is logged in at a fake service, which a scripted model stands behind."""

    def __init__(self, directory: Path, identity: IdentityService) -> None:
        super().__init__(directory)
        self.identity = identity
        self.settings({})

    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, **self.identity.environment}

    def run(self, *arguments: str) -> Finished:
        """No rehearsal: a run as the user starts it, its event log on stdout."""
        return self.treadle(*arguments, "--json")

    def start_unread(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [TREADLE, *arguments],
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def stored(self) -> bytes:
        """All that Treadle has written down."""
        paths = [path for path in self.root.rglob("*") if path.is_file() and not path.is_symlink()]
        return b"".join(path.read_bytes() for path in paths)

    @contextmanager
    def user_at_work(self) -> Iterator[list[int]]:
        """The user's own `claude` renews the login again and again; the exit codes of it."""
        codes: list[int] = []
        stopped = threading.Event()

        def work() -> None:
            while not stopped.is_set():
                codes.append(renew_login(self.home, self.identity.environment))

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield codes
        finally:
            stopped.set()
            thread.join()


@pytest.fixture
def subscribed(tmp_path: Path) -> Iterator[SubscriptionHarness]:
    with IdentityService(tmp_path / "identity") as identity:
        yield SubscriptionHarness(tmp_path, identity)


def assert_told_nobody(subscribed: SubscriptionHarness, finished: Finished) -> None:
    """No token was stored or shown."""
    assert ISSUED not in finished.stdout + finished.stderr
    assert ISSUED.encode() not in subscribed.stored()


@pytest.mark.parametrize("options", [(), ("--no-sandbox",)], ids=["sandbox", "no sandbox"])
def test_a_login_that_expired_yesterday_is_renewed_before_the_first_request(
    subscribed: SubscriptionHarness, rehearse: Rehearse, options: tuple[str, ...]
) -> None:
    identity = subscribed.identity
    identity.model_url = rehearse(script(ONE_DELIVERABLE, BUILD_IT)).base_url
    identity.write_login(subscribed.home, expires_in=EXPIRED)

    finished = subscribed.run("deliver", *options)

    assert finished.result["reason"] == "all_passed", finished.stderr
    assert (subscribed.project / "hello.txt").read_text() == "hello\n"
    assert (len(identity.renewals), identity.refused_tokens) == (1, ())
    assert identity.is_logged_in(subscribed.home)
    assert {each.bearer for each in identity.model_requests} == {
        stored_login(subscribed.home)["accessToken"]
    }
    assert_told_nobody(subscribed, finished)


def test_a_long_run_and_the_users_own_agent_renew_one_login_many_times(
    tmp_path: Path, rehearse: Rehearse
) -> None:
    # A token lives as long as one request: many days' worth of renewals.
    with IdentityService(tmp_path / "identity", expires_in=2) as identity:
        subscribed = SubscriptionHarness(tmp_path, identity)
        identity.model_url = rehearse(script(ONE_DELIVERABLE, WORK_FOR_LONG)).base_url
        identity.write_login(subscribed.home, expires_in=EXPIRED)

        with subscribed.user_at_work() as codes:
            finished = subscribed.run("deliver")

        assert finished.result["reason"] == "all_passed", finished.stderr
        assert len(finished.of_type("session.started")) == 2
        assert (len(identity.renewals) >= 10, identity.refused_tokens) == (True, ())
        assert (len(codes) >= 3, set(codes)) == (True, {0})
        assert identity.is_logged_in(subscribed.home)
        assert_told_nobody(subscribed, finished)


def test_a_kill_in_the_middle_of_a_renewal_loses_no_token(
    subscribed: SubscriptionHarness, rehearse: Rehearse
) -> None:
    identity = subscribed.identity
    identity.model_url = rehearse(script(ONE_DELIVERABLE, BUILD_IT)).base_url
    identity.write_login(subscribed.home, expires_in=EXPIRED)
    identity.hold_answers()
    killed = subscribed.start_unread("deliver")
    identity.wait_for_token_requests(1)

    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert not identity.is_logged_in(subscribed.home)
    identity.release_answers()
    wait_until(lambda: identity.is_logged_in(subscribed.home))
    finished = subscribed.run("resume")

    assert finished.result["reason"] == "all_passed", finished.stderr
    assert (len(identity.renewals), identity.refused_tokens) == (1, ())
    assert identity.is_logged_in(subscribed.home)


def test_a_login_that_ended_ends_the_run_with_what_to_do(subscribed: SubscriptionHarness) -> None:
    identity = subscribed.identity
    identity.write_login(subscribed.home, expires_in=EXPIRED)
    identity.answer_with("invalid_grant")

    finished = subscribed.run("deliver")

    assert (finished.exit_code, finished.result["reason"]) == (4, "authentication")
    assert "your Claude Code login has ended: run `claude /login`" in finished.result["message"]
    assert (len(identity.refused_tokens), identity.model_requests) == (1, ())


def test_a_service_that_fails_to_renew_for_a_while_is_waited_for(
    subscribed: SubscriptionHarness, rehearse: Rehearse
) -> None:
    identity = subscribed.identity
    identity.model_url = rehearse(script(ONE_DELIVERABLE, BUILD_IT)).base_url
    identity.write_login(subscribed.home, expires_in=EXPIRED)
    identity.answer_with("unavailable")

    def recover() -> None:
        identity.wait_for_token_answers(1)
        identity.answer_with("renew")

    recovering = threading.Thread(target=recover)
    recovering.start()

    finished = subscribed.run("deliver")
    recovering.join()

    assert finished.result["reason"] == "all_passed", finished.stderr
    assert len(finished.of_type("session.started")) == 2
    assert (len(identity.token_requests), len(identity.renewals)) == (2, 1)


def test_a_token_that_is_refused_before_its_time_is_renewed_and_the_agent_does_not_notice(
    subscribed: SubscriptionHarness, rehearse: Rehearse
) -> None:
    identity = subscribed.identity
    identity.model_url = rehearse(script(ONE_DELIVERABLE, BUILD_IT)).base_url
    identity.write_login(subscribed.home)
    identity.revoke_access()

    finished = subscribed.run("deliver")

    assert finished.result["reason"] == "all_passed", finished.stderr
    assert len(finished.of_type("session.started")) == 2
    assert (len(identity.renewals), identity.is_logged_in(subscribed.home)) == (1, True)


def test_nothing_of_the_login_is_in_the_sandbox(
    subscribed: SubscriptionHarness, rehearse: Rehearse
) -> None:
    identity = subscribed.identity
    identity.model_url = rehearse(script(ONE_DELIVERABLE, LOOK_FOR_TOKENS)).base_url
    file = identity.write_login(subscribed.home)
    before = (file.read_bytes(), file.stat().st_ino)
    given = {"home": str(subscribed.home), "since": file.stat().st_mtime}
    (subscribed.project / "look.py").write_text(LOOK % given)
    (subscribed.project / "marker.txt").write_text("made-up-marker\n")
    subscribed.git("add", "-A")
    subscribed.git("commit", "-q", "-m", "A way to look around")

    finished = subscribed.run("deliver")

    assert finished.result["reason"] == "all_passed", finished.stderr
    assert (file.read_bytes(), file.stat().st_ino) == before
