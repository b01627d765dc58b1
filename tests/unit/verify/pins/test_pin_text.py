"""Why a command that is green on the work is not proven by the pinned tree, in one line."""

import pytest

from treadle.domain.pin_plan import MixedFile, PinAction, PinnedFile, PinPlan
from treadle.verify.pins.pin_text import judge_changes, mixed_failure, pinned_failure


def files(action: PinAction, *names: str) -> tuple[PinnedFile, ...]:
    return tuple(PinnedFile(name, action, "tests") for name in names)


@pytest.mark.parametrize(
    ("plan", "inconclusive", "why"),
    [
        (
            PinPlan("b0", files("restored", "test_it.py")),
            "",
            "it fails with your version of test_it.py",
        ),
        (
            PinPlan("b0", files("restored", "a.py", "b.py", "c.py", "d.py", "e.py")),
            "",
            "it fails with your version of a.py, b.py, c.py and 2 more",
        ),
        (
            PinPlan("b0", files("left_out", "unittest.py", "conftest.py")),
            "",
            "it fails without unittest.py, conftest.py, which the agent added",
        ),
        # What the user wrote says more than what is left out.
        (
            PinPlan("b0", files("left_out", "new.py") + files("restored", "old.py")),
            "",
            "it fails with your version of old.py",
        ),
        (
            PinPlan("b0", files("merged", "package.json")),
            "",
            "it fails with the settings of your package.json",
        ),
        (
            PinPlan("b0", files("restored", "test_it.py")),
            "jq was not found (exit code 127)",
            "with your tests it could not be run: jq was not found (exit code 127)",
        ),
        (
            PinPlan("b0", files("left_out", "bin/jq")),
            "jq was not found (exit code 127)",
            "without bin/jq it could not be run: jq was not found (exit code 127)",
        ),
    ],
)
def test_a_check_that_is_not_green_with_the_users_judges_says_why_in_one_line(
    plan: PinPlan, inconclusive: str, why: str
) -> None:
    assert pinned_failure(plan, inconclusive) == why


@pytest.mark.parametrize(
    ("mixed", "why"),
    [
        (
            tuple(map(MixedFile, ("src/a.rs", "src/b.rs", "src/c.rs", "src/d.rs"))),
            "the agent changed tests inside src/a.rs, src/b.rs, src/c.rs and 1 more",
        ),
        (
            (MixedFile("app.py", "runner", "os._exit"),),
            "new code in app.py could make tests pass by itself: os._exit",
        ),
        (
            (MixedFile("a.py", "runner", "os._exit"), MixedFile("b.py", "runner", "os.abort")),
            "new code in a.py, b.py could make tests pass by itself",
        ),
        (
            (MixedFile("app.sh", "expectations", "expected/out.txt"),),
            "app.sh names what its output is compared with: expected/out.txt",
        ),
        (
            (MixedFile("app.py", "linters", "# noqa"),),
            "new code in app.py makes a tool ignore problems: # noqa",
        ),
        (
            (MixedFile("src/lib.rs", "unread"),),
            "the effect of src/lib.rs on tests is unknown: too large to read",
        ),
        # The worst of them is told.
        (
            (MixedFile("a.py", "linters", "# noqa"), MixedFile("b.rs")),
            "the agent changed tests inside b.rs",
        ),
    ],
)
def test_a_file_that_is_product_and_judge_at_once_is_told_with_its_cause(
    mixed: tuple[MixedFile, ...], why: str
) -> None:
    assert mixed_failure(PinPlan("b0", mixed=mixed)) == why


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        (PinPlan("b0"), ""),
        (PinPlan("b0", files("left_out", "unittest.py")), "the agent added unittest.py"),
        (
            PinPlan("b0", files("left_out", "new.py") + files("merged", "package.json")),
            "the agent changed package.json",
        ),
    ],
)
def test_what_the_agent_did_to_the_judges_is_told(plan: PinPlan, text: str) -> None:
    assert judge_changes(plan) == text
