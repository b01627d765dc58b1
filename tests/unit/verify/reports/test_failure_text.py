"""A failure message is short and plain, with its location in the project."""

import pytest

from treadle.verify.reports.failure_text import (
    NO_LOCATION,
    SourceLocation,
    clean_message,
    find_location,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", NO_LOCATION),
        ("it failed at 12:30", NO_LOCATION),
        ("tests/test_a.py:5: in test_a\nsrc/a.py:7: ValueError", SourceLocation("src/a.py", 7)),
        (
            '  File "/c/a.py", line 3, in f\n  File "/usr/lib/x.py", line 9',
            SourceLocation("/c/a.py", 3),
        ),
        (
            "at f (/c/src/a.ts:3:56)\n at g (/c/node_modules/jest/b.js:1:2)",
            SourceLocation("/c/src/a.ts", 3),
        ),
        ("at node:internal/x.js:1:1\n at file:///c/a.mjs:2:70", SourceLocation("/c/a.mjs", 2)),
        (" \x1b[2m❯\x1b[22m src/a.test.tsx:5:56", SourceLocation("src/a.test.tsx", 5)),
        ("thread 't' panicked at src/lib.rs:14:26:", SourceLocation("src/lib.rs", 14)),
        ("# ./spec/a_spec.rb:3:in `block'", SourceLocation("spec/a_spec.rb", 3)),
        (
            "\t/go/src/testing/testing.go:1\n\t/c/a_test.go:5 +0x27",
            SourceLocation("/c/a_test.go", 5),
        ),
        ("a.py:0: nothing", SourceLocation("a.py", None)),
        ("a.py:99999999", NO_LOCATION),
    ],
)
def test_the_place_is_the_one_in_the_project(text: str, found: SourceLocation) -> None:
    assert find_location(text) == found


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("  a\r\nb \n", "a\nb"),
        ("\x1b[31mred\x1b[0m \x00\x07and\x1b[2K more", "red and more"),
        ("no\n    at f (a.js:1:1)\n    at g (/x/node_modules/b.js:1:1)", "no\n    at f (a.js:1:1)"),
        ("a\ud800b", "ab"),
    ],
)
def test_a_message_is_plain(text: str, plain: str) -> None:
    assert clean_message(text) == plain
