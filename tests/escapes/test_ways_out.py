"""Every known way out of the sandbox is closed, for root and for an ordinary user."""

import json
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.escapes.attacked_machine import AttackedMachine, make_attacked_machine
from tests.escapes.attacks import attacks
from tests.escapes.callers import CALLERS, called_by
from tests.escapes.running import run

ATTACKS = Path(__file__).with_name("attacks.py")
NAMES = list(attacks(defaultdict(str)))


@dataclass(frozen=True)
class Tried:
    """One run of all attacks: which got through, and the state of the host before."""

    got_through: dict[str, bool]
    attacked: AttackedMachine
    before: dict[str, bytes | None]


@pytest.fixture(scope="module", params=CALLERS)
def tried(request: pytest.FixtureRequest) -> Iterator[Tried]:
    with called_by(request.param) as caller, make_attacked_machine(caller) as attacked:
        python = (str(caller.sandbox.interpreter.program), "-I", "-S")
        before = attacked.contents()
        command = (*python, "-c", ATTACKS.read_text())
        done = run(caller, command, attacked.within, stdin=json.dumps(attacked.targets))
        assert (done.returncode, done.stderr) == (0, "")
        yield Tried(json.loads(done.stdout), attacked, before)


@pytest.mark.parametrize("name", NAMES)
def test_it_does_not_get_out_by(name: str, tried: Tried) -> None:
    assert tried.got_through[name] is False


def test_the_host_is_as_it_was(tried: Tried) -> None:
    assert tried.attacked.contents() == tried.before


def test_paths_that_are_protected_before_they_exist_leave_nothing_to_commit(tried: Tried) -> None:
    work = tried.attacked.within.workspace
    git = ["git", "-c", f"safe.directory={work}", "-C", str(work)]
    done = subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True)

    changed = sorted(line.removeprefix("?? ") for line in done.stdout.splitlines())

    # The attacked machine's own links and file, and what the attacks may write.
    own = ["kept/", "link-out", "link-to-key"]
    assert changed == sorted([*own, "lent", "link-made-now", "mine/"])


def test_the_attacks_get_through_where_there_is_no_sandbox(tried: Tried) -> None:
    """Otherwise the tests prove nothing. Only harmless attacks run on the host."""
    harmless = (
        "reading a key in the user's home",
        "listing the user's home",
        "reading by a link in the workspace",
        "seeing a process of the host",
        "ending a process of the host",
        "a service on loopback",
        "an abstract socket",
        "a socket beside the workspace",
        "making one with clone3",
        "listing what lies beside the workspace",
    )
    found = attacks(tried.attacked.targets)

    assert {name: found[name]() for name in harmless} == dict.fromkeys(harmless, True)
