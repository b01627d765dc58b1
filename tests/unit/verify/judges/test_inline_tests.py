"""Tests inside of product files must stay as they were; new ones are welcome."""

import pytest

from treadle.verify.judges.inline_tests import loses_tests

RUST = """\
pub fn slug(text: &str) -> String { text.to_string() } // {
mod words;
/// Makes a slug.
///
/// ```
/// assert_eq!(shop::slug("A"), "a");
/// ```
#[derive(Debug)]
pub struct Cart { name: &'static str }

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, io::{self, Read}};

    #[test]
    fn one() { assert_eq!(slug("}"), '{'.to_string()); }
}

#[tokio::test]
async fn two() { assert!(true); }
"""
PYTHON = (
    'def slug(text):\n    """A slug.\n\n    >>> slug("A")\n    \'a\'\n    """\n    return text\n'
)
VITEST = """\
export const total = 1
if (import.meta.vitest) {
  const { it, expect } = import.meta.vitest
  it("adds }", () => {
    expect(total).toBe(1)
  })
}
"""
ZIG = 'pub fn add() i32 { return 1; }\n\ntest "add" {\n    try expect(add() == 1);\n}\n'
D = "int add() { return 1; }\nunittest { assert(add() == 1); }\n"
ELIXIR = '@doc """\n    iex> Shop.add(1)\n    2\n"""\ndef add(n), do: n + 1\n'
OCAML = "let add x = x\n\nlet%test _ = add 1 = 1\n"


def lost(path: str, base: str, old: str, new: str) -> bool:
    assert old in base
    return loses_tests(path, base, base.replace(old, new, 1), runs_doctests=True)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('assert_eq!(slug("}")', 'assert_ne!(slug("}")'),
        ("#[cfg(test)]", "#[cfg(any())]"),
        ("#[tokio::test]", "#[ignore]\n#[tokio::test]"),
        ("#[tokio::test]\nasync fn two() { assert!(true); }\n", ""),
        ("mod words;", ""),
        ("mod words;", "#[cfg(not(test))]\nmod words;"),
        ('slug("A"), "a")', 'slug("A"), "A")'),
        ("/// ```\n/// assert", "/// ```ignore\n/// assert"),
        ("use super::*;", "use super::*;\n    fn slug(_: &str) -> String { String::new() }"),
        ("use super::*;", "use super::*;\n    use super::fake::slug;"),
        ("use super::*;", "use super::*;\n    use super::{fake, other as slug};"),
        ("use super::*;", "use super::*;\n    use super::fake::*;"),
        ("use super::*;", "use super::*;\n    macro_rules! assert_eq { ($($x:tt)*) => {} }"),
        ("io::{self, Read}", "io::{self, Write}"),
    ],
)
def test_a_rust_test_is_lost(old: str, new: str) -> None:
    assert lost("src/lib.rs", RUST, old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("text.to_string() }", "text.to_lowercase() }"),
        ("mod words;", "pub mod words;\nmod money;"),
        ("/// Makes a slug.", "/// Makes a short slug."),
        (
            "    #[test]",
            '    #[test]\n    fn more() { assert_eq!(slug("b"), "b"); }\n\n    #[test]',
        ),
        ("    #[test]", "    // Why.\n    fn sample() -> Cart { todo!() }\n    #[test]"),
        ("{fs, io::{self, Read}}", "{env, fs, io::{self, Read}}"),
        ("#[tokio::test]", "#[test]\nfn three() {}\n\n#[tokio::test]"),
        ("// {", "// }}}"),
    ],
)
def test_no_rust_test_is_lost(old: str, new: str) -> None:
    assert not lost("src/lib.rs", RUST, old, new)


@pytest.mark.parametrize(
    ("path", "base", "old", "new", "expected"),
    [
        ("words.py", PYTHON, "'a'", "'A'", True),
        ("words.py", PYTHON, '>>> slug("A")', '>>> slug = str.lower\n    >>> slug("A")', True),
        ("words.py", PYTHON, "return text", "return text.lower()", False),
        ("words.py", PYTHON, "'a'\n", "'a'\n    >>> slug(\"B\")\n    'b'\n", False),
        ("words.py", "def test_a():\n    assert a()\n\nx = 1\n", "assert a()", "pass", True),
        ("words.py", "def test_a():\n    assert a()\n\nx = 1\n", "x = 1", "x = 2", False),
        ("total.ts", VITEST, "toBe(1)", "toBe(2)", True),
        ("total.ts", VITEST, "if (import.meta.vitest)", "if (false)", True),
        ("total.ts", VITEST, "  it(", "  const expect = () => fake\n  it(", True),
        ("total.ts", VITEST, "  it(", '  it("more", () => { expect(2).toBe(2) })\n  it(', False),
        ("total.ts", VITEST, "total = 1", "total = 2", False),
        ("add.zig", ZIG, "== 1", "== 2", True),
        ("add.zig", ZIG, "return 1", "return 2", False),
        ("add.d", D, "assert(add() == 1);", "", True),
        ("add.d", D, "return 1", "return 2", False),
        ("add.ex", ELIXIR, "    2\n", "    3\n", True),
        ("add.ex", ELIXIR, "n + 1", "n + 2", False),
        ("add.ml", OCAML, "= 1\n", "= 2\n", True),
        ("add.ml", OCAML, "add x = x", "add x = x + 0", False),
        ("notes.md", "#[test]", "#[test]", "", False),
    ],
)
def test_tests_of_other_languages(path: str, base: str, old: str, new: str, expected: bool) -> None:
    assert lost(path, base, old, new) == expected


def test_doctests_of_python_count_only_if_they_are_run() -> None:
    assert not loses_tests("words.py", PYTHON, "", runs_doctests=False)
    assert loses_tests("words.py", PYTHON, "", runs_doctests=True)
