"""`--land ask` asks on the terminal and nowhere else; only a yes lands, and nothing hangs on it."""

import os
import pty
import signal
import subprocess
import threading
from collections.abc import Callable

import pytest

from tests.acceptance.harness import (
    BUILD_IT,
    ONE_DELIVERABLE,
    TREADLE,
    CommandHarness,
    Finished,
    script,
)

QUESTION = b"Land 1 commit in your checkout? [y/N]: "

Answer = Callable[[int, int], object]


def typing(keys: bytes) -> Answer:
    return lambda terminal, _: os.write(terminal, keys)


def signalling(number: signal.Signals) -> Answer:
    return lambda _, process: os.kill(process, number)


def asked(harness: CommandHarness, *options: str, answer: Answer) -> tuple[Finished, str]:
    """A rehearsed run that asks whether its work may land."""
    harness.settings({})
    rehearsal = script(ONE_DELIVERABLE, BUILD_IT)
    words = ("deliver", "--land", "ask", *options)
    return at_terminal(harness, rehearsal, *words, question=QUESTION, answer=answer)


def at_terminal(
    harness: CommandHarness, rehearsal: str, *words: str, question: bytes, answer: Answer
) -> tuple[Finished, str]:
    """A rehearsed run with somebody at the terminal who types at once, and again when asked."""
    path = harness.directory / "script.yaml"
    path.write_text(rehearsal)
    command = ("rehearse", str(path), "--", *words)
    return typed_at_terminal(harness, *command, question=question, answer=answer)


def typed_at_terminal(
    harness: CommandHarness, *arguments: str, question: bytes, answer: Answer
) -> tuple[Finished, str]:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [TREADLE, *arguments],
        cwd=harness.project,
        env=harness.environment,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    os.close(theirs)
    os.write(ours, b"y\n")  # before there is a question: an answer to nothing
    talk: list[bytes] = []
    asking = (question, answer)
    reading = threading.Thread(target=converse, args=(ours, process.pid, asking, talk))
    reading.start()
    try:
        out, _ = process.communicate(timeout=100)
    finally:
        process.kill()
        process.wait()
        reading.join()
        os.close(ours)
    text = b"".join(talk).decode()
    return Finished(process.returncode, out.decode(), text), text


def converse(terminal: int, process: int, asking: tuple[bytes, Answer], talk: list[bytes]) -> None:
    waiting, (question, answer) = True, asking
    while True:
        try:
            talk.append(os.read(terminal, 4096))
        except OSError:  # the other side has gone
            return
        if waiting and question in b"".join(talk):
            waiting = False
            answer(terminal, process)


def test_a_yes_lands_and_the_json_is_whole(harness: CommandHarness) -> None:
    finished, talk = asked(harness, "--json", answer=typing(b"y\n"))

    assert finished.exit_code == 0
    assert [event["form"] for event in finished.of_type("work.landed")] == ["commits"]
    assert (harness.project / "hello.txt").read_text() == "hello\n"
    assert QUESTION.decode() in talk


@pytest.mark.parametrize(
    "answer",
    [typing(b"\n"), typing(b"\x04"), signalling(signal.SIGINT)],
    ids=["Return", "Ctrl-D", "Ctrl-C"],
)
def test_anything_but_a_yes_leaves_the_finished_work_on_its_branch(
    harness: CommandHarness, answer: Answer
) -> None:
    finished, _ = asked(harness, "--json", answer=answer)

    assert finished.exit_code == 0
    assert finished.result["reason"] == "all_passed"
    assert [event["reason"] for event in finished.of_type("work.kept")] == ["you said no"]
    assert not (harness.project / "hello.txt").exists()


def test_a_question_that_nobody_answers_does_not_share_its_line(harness: CommandHarness) -> None:
    finished, talk = asked(harness, answer=signalling(signal.SIGINT))

    assert (finished.exit_code, finished.stdout) == (0, "")
    assert f"{QUESTION.decode()}\r\n! Stopping:" in talk
