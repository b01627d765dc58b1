"""Tests that got weaker are named in one line; added tests are good news."""

import pytest

from treadle.verify.judges.weakened_tests import (
    MAX_CHARACTERS,
    AssertionCounts,
    FilePair,
    Weakening,
    count_assertions,
    describe_weakening,
    total_weakening,
)

PYTHON = '''
import unittest, pytest

class Words(unittest.TestCase):
    def test_counts(self):
        """It must assert nothing here: assert."""
        # assert commented out
        self.assertEqual(count("assert a"), 2)
        self.assertTrue(is_word("a"))

    def test_fails(self):
        with self.assertRaises(ValueError):
            count(None)

async def test_waits():
    assert await count("a b") == 2
'''
HOLLOW = '''
def test_a():
    pass

def test_b(): ...

class A:
    def test_c(self,
               other):
        """Why it is empty."""

    def test_d(self):
        return

    def test_e(self):
        # assert what
        pass
def test_f():
    pass
    assert 1 == one()
'''


@pytest.mark.parametrize(
    ("path", "text", "counts"),
    [
        ("tests/test_words.py", PYTHON, AssertionCounts(tests=3, assertions=4)),
        ("tests/test_words.py", HOLLOW, AssertionCounts(tests=6, assertions=1, hollow=5)),
        ("tests/test_words.py", "def test_a():\n    assert True\n", AssertionCounts(tests=1)),
        (
            "tests/test_words.py",
            "@unittest.skip('later')\ndef test_a():\n    self.skipTest('x')\n"
            "@pytest.mark.xfail(reason='x')\ndef test_b():\n    pytest.skip('x')\n"
            "@unittest.expectedFailure\ndef test_c():\n    words.skip_blank()\n"
            "pytestmark = pytest.mark.skip\n",
            AssertionCounts(tests=3, skips=6),
        ),
        (
            "src/words.test.ts",
            "describe('words', () => {\n"
            "  it('counts', () => { expect(count('a')).toBe(1); expect(count('')).toBe(0) })\n"
            "  it.skip('waits', () => { assert.equal(1, count('a')); })\n"
            "  test.each([1, 2])('%i', (n) => { expect(n).toBeTruthy() })\n"
            "  // expect(1).toBe(2)\n"
            "  it('is empty', async () => {})\n"
            "  it.todo('later')\n"
            "  it.only('alone', function () { expect(true).toBe(true); })\n"
            "})\n",
            AssertionCounts(tests=6, assertions=4, skips=3, hollow=1),
        ),
        (
            "words.test.mjs",
            "test('a', (t) => { t.skip('x'); })\ntest('b', { todo: true }, () => {})\n",
            AssertionCounts(tests=2, skips=2),
        ),
        (
            "words_test.go",
            'func TestCount(t *testing.T) {\n\tif n != 1 {\n\t\tt.Errorf("no: %d", n)\n\t}\n'
            "\trequire.NoError(t, err)\n\tt.Skip()\n}\nfunc TestEmpty(t *testing.T) {\n}\n",
            AssertionCounts(tests=2, assertions=2, skips=1, hollow=1),
        ),
        (
            "tests/words.rs",
            '#[test]\nfn counts() { assert_eq!(count("a"), 1); assert!(true); }\n'
            "#[tokio::test]\n#[ignore]\nasync fn waits() { assert!(x); }\n#[test]\nfn empty() {}\n",
            AssertionCounts(tests=3, assertions=2, skips=1, hollow=1),
        ),
        (
            "spec/words_spec.rb",
            'it "counts" do\n  expect(count("a")).to eq 1\nend\nxit "waits" do\nend\n'
            'it "is empty" do\nend\n',
            AssertionCounts(tests=3, assertions=1, skips=1, hollow=1),
        ),
        (
            "tests/WordsTest.php",
            "public function testCounts(): void { $this->assertSame(1, count('a')); }\n"
            "public function testLater(): void { $this->markTestSkipped('x'); }\n"
            "public function testEmpty(): void {}\n",
            AssertionCounts(tests=3, assertions=1, skips=1, hollow=1),
        ),
        (
            "WordsTest.java",
            "@Test\nvoid counts() { assertEquals(1, count()); }\n"
            "@Disabled\n@Test\nvoid empty() { }\n",
            AssertionCounts(tests=2, assertions=1, skips=1, hollow=1),
        ),
        (
            "tests/words.bats",
            '@test "counts" {\n  run count a\n  [ "$status" -eq 0 ]\n}\n'
            '@test "waits" {\n  skip\n}\n',
            AssertionCounts(tests=2, assertions=1, skips=1),
        ),
        ("t/words.t", "is(count('a'), 1, 'one');\nok(1);\n", AssertionCounts(assertions=2)),
        ("tests/data.json", '{"assert": 1}', AssertionCounts()),
        ("tests/test_long.py", "assert x\n" * MAX_CHARACTERS, AssertionCounts()),
    ],
)
def test_assertions_are_counted_per_language(path: str, text: str, counts: AssertionCounts) -> None:
    assert count_assertions(path, text) == counts


@pytest.mark.parametrize(
    ("base", "work", "weaker"),
    [
        (PYTHON, PYTHON, ""),
        (PYTHON, f"{PYTHON}\ndef test_more():\n    assert 1 == one()\n", ""),
        (PYTHON, PYTHON.replace("        self.assertTrue(is_word", "        (is_word"),
         "1 assertion fewer"),
        (PYTHON, PYTHON.replace("    def test_fails", "    @unittest.skip\n    def test_fails"),
         "1 skip added"),
        ("def test_a():\n    assert f()\n    assert g()\ndef test_b():\n    assert h()\n",
         "def test_a():\n    pass\n", "1 test removed, 3 assertions fewer, 1 test emptied"),
        ("def test_a():\n    assert f()\n", "def test_a():\n    assert True\n",
         "1 assertion fewer"),
        # A file that is gone is named as such.
        (PYTHON, "", ""),
        ("", PYTHON, ""),
    ],
)  # fmt: skip
def test_what_got_weaker_stands_in_one_line(base: str, work: str, weaker: str) -> None:
    assert describe_weakening(FilePair("tests/test_words.py", base, work)) == weaker


ONE = "def test_a():\n    assert f()\n"
TWO = f"{ONE}def test_b():\n    assert g()\n"


@pytest.mark.parametrize(
    ("pairs", "weakening"),
    [
        ([], Weakening()),
        ([("a.py", TWO, ONE)], Weakening(tests=1, assertions=1)),
        ([("a.py", TWO, "")], Weakening(tests=2, assertions=2)),
        # It moved.
        ([("a.py", TWO, ""), ("b.py", "", TWO)], Weakening()),
        ([("a.py", TWO, ONE), ("b.py", ONE, TWO)], Weakening()),
        ([("a.py", ONE, TWO)], Weakening()),
        ([("a.py", TWO, TWO.replace("assert g()", "pass"))], Weakening(tests=1, assertions=1)),
        ([("a.py", ONE, f"@pytest.mark.skip\n{ONE}")], Weakening(tests=1)),
    ],
)
def test_all_that_is_lost_is_counted_together(
    pairs: list[tuple[str, str, str]], weakening: Weakening
) -> None:
    assert total_weakening(FilePair(*pair) for pair in pairs) == weakening
