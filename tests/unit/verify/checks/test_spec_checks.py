"""Checks in a specification: where they are found, and what is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.verify.checks.spec_checks import SpecCheck, fold_text, spec_checks, unread_checks

GREETS = "It greets."


def found(line: int, command: str, text: str = GREETS) -> SpecCheck:
    return SpecCheck(line, text, command)


@pytest.mark.parametrize(
    ("specification", "checks"),
    [
        ("", []),
        ("# Greeter\n\nIt greets.\n\n- It greets.\n- Check the greeting.\n", []),
        # at the end of the item
        ("- It greets. Check: `./greet | grep hello`", [found(1, "./greet | grep hello")]),
        ("# G\n\n* It greets. check: `a`\n+ It ends. CHECK: `b`.\n", [
            found(3, "a"), found(4, "b", "It ends."),
        ]),
        ("1. It greets. Check: `a`\n2) It ends. Check: `b`", [
            found(1, "a"), found(2, "b", "It ends."),
        ]),
        ("- [ ] It greets. Check: `a`\n- [x] It ends. Check: `b`", [
            found(1, "a"), found(2, "b", "It ends."),
        ]),
        ("- It greets. **Check:** `a`", [found(1, "a")]),
        ("- It greets. *Check*: `a`", [found(1, "a")]),
        ("- It greets. (Check: `a`)", [found(1, "a")]),
        ("- It greets. Check: `a` (fast)", [found(1, "a")]),
        ("- It greets. Check:`a`\r\n- It ends.\r\n", [found(1, "a")]),
        # backticks in the command
        ("- It greets. Check: ``test `./greet` = hi``", [found(1, "test `./greet` = hi")]),
        ("- It greets. Check: `` `a` ``", [found(1, "`a`")]),
        # on lines below
        ("- It greets.\n  Check: `a`\n", [found(1, "a")]),
        ("- It greets.\n\n  Check: `a`\n", [found(1, "a")]),
        ("- It\n  greets.\n  Check:\n  `a`\n", [found(1, "a", "It greets.")]),
        ("- It\ngreets. Check: `a`", [found(1, "a", "It greets.")]),
        ("- It greets.\n\tCheck: `a`\n", [found(1, "a")]),
        # as an item inside
        ("- It greets.\n  - Check: `a`\n  - Loudly. Check: `b`\n- It ends.\n  * Check: `c`", [
            found(2, "a"), found(3, "b", "Loudly."), found(5, "c", "It ends."),
        ]),
        # alone
        ("- Check: `make lint`", [found(1, "make lint", "`make lint` succeeds")]),
        ("- It greets.\n- Check: `make lint`", [found(2, "make lint", "`make lint` succeeds")]),
        # several for one text: none is lost
        ("- It greets. Check: `a` Check: `b`", [found(1, "a"), found(1, "b", "It greets. (#2)")]),
        ("- It greets. Check: `a`\n\n## Later\n\n- it *greets*  Check: `b`\n", [
            found(1, "a"), found(5, "b", "it *greets* (#2)"),
        ]),
        ("- It greets. Check: `a`\n- It greets. Check: `a`\n", [found(1, "a")]),
        # no checks
        ("It greets. Check: `a`", []),
        ("- It greets.\n\nCheck: `a`", []),
        ("- It greets.\n## Check: `a`", []),
        ("- It greets.\n> Check: `a`", []),
        ("- It greets. Double-check: `a`", []),
        ("- It greets. Check: a", []),
        ("- It greets. Check: ` `", []),
        ("```\n- It greets. Check: `a`\n```\n", []),
        ("~~~ text\n```\n- It greets. Check: `a`\n~~~\n- It ends. Check: `b`", [
            found(5, "b", "It ends."),
        ]),
        ("<!-- - It greets.\n- Check: `a` -->\n- It ends. Check: `b`", [found(3, "b", "It ends.")]),
    ],
)  # fmt: skip
def test_a_check_is_found_at_its_list_item(specification: str, checks: list[SpecCheck]) -> None:
    assert list(spec_checks(specification)) == checks


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("It greets.", "it  GREETS", True),
        ("It **greets**.", "It _greets_", True),
        ("Prints `a_b`;", "prints `a_b`", True),
        ("It\n  greets!", "It greets", True),
        ("It greets.", "It greets twice.", False),
        ("", ".", True),
    ],
)
def test_texts_that_differ_in_form_alone_are_the_same(one: str, other: str, same: bool) -> None:
    assert (fold_text(one) == fold_text(other)) == same


PIECES = [
    "- It greets.",
    " ",
    "\n",
    "Check:",
    " `a`",
    "``",
    "b",
    "1. ",
    "```",
    "<!--",
    "-->",
    " (#2)",
]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_is_read_and_no_two_checks_have_the_same_text(specification: str) -> None:
    made = spec_checks(specification)

    assert len({fold_text(each.text) for each in made}) == len(made)
    assert all(each.command.strip() and each.text for each in made)
    assert [each.line for each in made] == sorted(each.line for each in made)


@pytest.mark.parametrize(
    ("specification", "lines"),
    [
        # read
        ("- It greets. Check: `a`\n- It ends.\n  **Check:** `b`\n- It\n  stays. Check:\n  `c`", ()),
        ("- It greets. _Check_: `a` (Check: `b`)", ()),
        # spoken of
        ("Write `Check: a` behind it.\n\n- See `Check:` there.", ()),
        ("# Checks: what for\n\nThings to check: hours, days.\n\nCheck the rest.", ()),
        ("```\nCheck: ./greet\n```\n<!-- Check: ./greet -->", ()),
        # meant, and not read
        ("- It greets.\n  Check: ./greet | grep hello\n", (2,)),
        ("- It greets. Check: ./greet\n- It ends. check: ./end", (1, 2)),
        ("- It greets.\n- It ends. Checks: `a`, `b`", (2,)),
        ("- It greets. Check : `a`", (1,)),
        ("It greets. Check: `a`\n\nCheck: `b`\n", (1, 3)),
        ("- It greets.\n\n  Check:\n\n  ```sh\n  ./greet\n  ```\n", (3,)),
        ("| It greets | Check: `a` |\n> Check: `b`", (1, 2)),
        ("Checks:\n\n- `a`\n- `b`", (1,)),
        (f"- It greets. Check: `{'a' * 8001}`", (1,)),
        ("- It greets. Check: `a` Check: b", (1,)),
    ],
)  # fmt: skip
def test_what_seems_to_be_a_check_and_is_not_read_is_found_by_its_line(
    specification: str, lines: tuple[int, ...]
) -> None:
    assert unread_checks(specification) == lines
