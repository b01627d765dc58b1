"""What the comparison with bash finds, on scripts that are made to lack something."""

import pytest

from tests.fuzz.bash import Ran
from tests.fuzz.compare import is_comparable, unseen
from treadle.policy.shell.syntax import Assignment, Loop, ParsedLine, Redirect, ShellCommand, Word

LS = ShellCommand((Word("ls"), Word("a b", quoted=True)), (), (Redirect("write", Word("./f")),))
OPEN = ShellCommand((Word("cat"), Word("$x", variables=("x",))), (Assignment("x", Word("1")),))
SCRIPT = ParsedLine((LS, OPEN), (Loop("i", (Word("1"),)),))


@pytest.mark.parametrize(
    "ran",
    [
        Ran(),
        Ran((("ls", "a b"),), ("ls 'a b'", "set +x"), ("f",)),
        Ran((("cat", "any", "thing"),), ("x=1", "cat any thing")),
        Ran((), ("for i in 1", "case a in")),
    ],
)
def test_what_the_script_says_may_happen(ran: Ran) -> None:
    assert unseen(SCRIPT, ran) == []


@pytest.mark.parametrize(
    ("ran", "found"),
    [
        (Ran((("rm", "x"),)), "ran ('rm', 'x')"),
        (Ran((("ls", "a", "b"),)), "ran ('ls', 'a', 'b')"),
        (Ran((), ("echo hi",)), "traced 'echo hi'"),
        (Ran((), ("y=1",)), "assigned 'y=1'"),
        (Ran((), ("for j in 1",)), "looped 'for j in 1'"),
        (Ran((), (), ("f", "g")), "wrote 'g'"),
    ],
)
def test_what_the_script_does_not_say_is_found(ran: Ran, found: str) -> None:
    assert unseen(SCRIPT, ran) == [found]


def test_commands_that_run_their_arguments_are_left_out() -> None:
    assert is_comparable(SCRIPT)
    assert not is_comparable(ParsedLine((ShellCommand((Word("eval"), Word("ls"))),)))
    assert not is_comparable(ParsedLine((ShellCommand((Word("/bin/ls"),)),)))
