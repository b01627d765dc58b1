"""A shell file of functions is the product's if a judge looks at what they print, and no more."""

import pytest

from tests.unit.verify.tree_pairs import Work, actions_of
from treadle.verify.commands.shell_libraries import ShellLibrary, read_library

ASSERT = 'equals() {\n  [ "$1" = "$2" ] && return\n  echo "expected $2" >&2\n  exit 1\n}\n'
TEST = '. ./assert.sh\n. ../lib/case.sh\nequals "$(title \'a day\')" "A Day"\n'
LIBRARY = 'upper() { printf "%s" "$1" | tr a-z A-Z; }\n'
TITLE = 'title() {\n  for word in $1; do upper "$word"; done\n}\n'
BASE = {"lib/case.sh": LIBRARY, "test/assert.sh": ASSERT, "test/title_test.sh": TEST}
RUN = "cd test && sh title_test.sh"
PRODUCT: dict[str, str] = {}
JUDGE = {"lib/case.sh": "restored"}


@pytest.mark.parametrize(
    "work",
    [
        Work(RUN, BASE, {"lib/case.sh": LIBRARY + TITLE}),
        Work(RUN, BASE, {"lib/case.sh": TITLE, "lib/more.sh": LIBRARY}),
        Work(RUN, BASE, {"lib/case.sh": f"set -eu\n. ../lib/small.sh\nBLANK=' '\n{TITLE}",
                         "lib/small.sh": "is_small() { test ${#1} -lt 3; }\n"}),
        Work("sh test.sh", {"test.sh": ". lib/case.sh\nupper a | grep -qx A\n", "lib/case.sh": ""},
             {"lib/case.sh": LIBRARY}),
        Work(". lib/case.sh && test \"$(title 'a day')\" = 'A Day'", {}, {"lib/case.sh": TITLE}),
    ],
)  # fmt: skip
def test_functions_whose_output_is_looked_at_are_the_product(work: Work) -> None:
    assert actions_of(work) == PRODUCT


@pytest.mark.parametrize(
    "text",
    [
        f"{TITLE}equals() {{ :; }}\n",
        f"{TITLE}equals () {{ true; }}\n",
        f"{TITLE}function equals {{ true; }}\n",
        f"{TITLE}exit() {{ :; }}\n",
        f"{TITLE}exit 0\n",
        f"{TITLE}trap 'exit 0' EXIT\n",
        f"{TITLE}alias equals=true\n",
        f"{TITLE}PATH=fake:$PATH\n",
        f"export PATH=fake:$PATH\n{TITLE}",
        f"{TITLE}export BASH_ENV=lib/env.sh\n",
        f"{TITLE}set +e\n",
        f"{TITLE}if true; then equals() {{ :; }}; fi\n",
        f"{TITLE}eval 'equals() {{ :; }}'\n",
        f"{TITLE}&& exit 0\n",
        f"{TITLE}[() {{ :; }}\n",
        "# nothing that the test looks at\n",
        "not closed '\n",
    ],
)
def test_a_file_that_can_turn_a_judge_green_is_none(text: str) -> None:
    assert actions_of(Work(RUN, BASE, {"lib/case.sh": text})) == JUDGE


EXPECT = ". ./lib/util.sh\nexpect 42\n"


@pytest.mark.parametrize(
    ("script", "changed"),
    [
        # The function is the judge itself.
        (EXPECT, "expect() { :; }\n"),
        (f"{EXPECT}test -f app.sh\n", "expect() { :; }\n"),
        ('. ./lib/util.sh\ntest "$(check_all)" = ok\n', "check_all() { echo ok; }\n"),
        # What is expected is set before the file is loaded, and could be set again.
        # It runs in the shell of the judge, which it could end.
        (". ./lib/util.sh\nupper a > out\ngrep -qx A out\n", "upper() { exit 0; }\n"),
        ('want=A\n. ./lib/util.sh\ntest "$(upper a)" = "$want"\n', "want=\nupper() { :; }\n"),
    ],
)
def test_a_file_with_what_a_judge_runs_itself_is_a_judge(script: str, changed: str) -> None:
    base = {"check.sh": script, "lib/util.sh": "upper() { :; }\n", "app.sh": ""}

    plan = actions_of(Work("sh check.sh", base, {"lib/util.sh": changed, "app.sh": "echo 42\n"}))

    assert plan["lib/util.sh"] == "restored"


def test_a_library_is_known_by_what_it_defines() -> None:
    text = "# Case\nset -euo pipefail\nreadonly A=1 B=2\nC=3\nf() { :; }\nfunction g {\n  h\n}\n"

    assert read_library(text) == ShellLibrary(frozenset("fg"), frozenset("ABC"))
    assert read_library(f"{text}f\n") is None
