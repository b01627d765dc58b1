"""Product code that newly refers to its judge is found."""

import pytest

from treadle.verify.judges.judge_references import (
    RULES,
    JudgeScripts,
    can_refer,
    judge_reference,
)

SCRIPTS = JudgeScripts(are_run=True)


@pytest.mark.parametrize(
    ("ending", "text"),
    [(ending, text) for rule in RULES for ending in rule.endings for text in rule.examples],
)
def test_every_rule_fits_its_examples(ending: str, text: str) -> None:
    path = f"lib/words{ending}"
    if ending != ".pl":
        assert judge_reference(path, "", text, SCRIPTS)
    assert not judge_reference(path, text, text, SCRIPTS)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("shop/cart.py", "def add():\n    sys.exit()\n"),
        ("lib/cart.rb", "def add\n  exit\nend\n"),
        ("src/cart.php", "<?php function add() { exit; }\n"),
        ("lib/Cart.pm", "sub add {\n  exit 0;\n}\n"),
    ],
)
def test_an_exit_counts_where_a_script_judges_and_a_runner_would_see_it(
    path: str, text: str
) -> None:
    assert judge_reference(path, "", text, SCRIPTS)
    assert not judge_reference(path, "", text)


@pytest.mark.parametrize("path", ["index.js", "src/app.ts", "main.mjs"])
def test_a_program_may_end_itself_unless_a_script_that_judges_imports_it(path: str) -> None:
    text = "export const stop = () => process.exit(0)\n"

    assert not judge_reference(path, "", text, SCRIPTS)
    assert judge_reference(path, "", text, JudgeScripts(are_run=True, import_it=True))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("shop/cli.py", "import os\nimport sys\n\ndef main():\n    sys.exit(0)\n"),
        ("shop/cli.py", 'if __name__ == "__main__":\n    sys.exit(main())\n'),
        ("shop/cart.py", "from shop.testing import x\nimport json\n"),
        ("bin/shop.js", "if (help) process.exit(0)\n"),
        (
            "src/cart.ts",
            "process.exit(1)\nimport assert from 'node:assert'\n".replace("process.exit(1)\n", ""),
        ),
        ("cmd/shop/main.go", "func main() { os.Exit(0) }\n"),
        ("main.go", "func init() { load() }\n\nfunc main() { os.Exit(0) }\n"),
        ("App.java", "class App { public static void main(String[] a) { System.exit(0); } }\n"),
        ("shop/hooks.py", "def _exit(self): ...\nraise SystemExit(1)\nexit(code)\n"),
        ("cart.go", "func Len() int { return len(x) }\n"),
        ("src/main.rs", "fn main() { std::process::exit(0) }\n"),
        ("src/cart.rs", "#[cfg(test)]\nmod tests {}\nmacro_rules! cart { () => {} }\n"),
        ("cart.c", "#include <assert.h>\n#define MAX 3\nint main(void) { exit(0); }\n"),
        ("lib/cart.rb", "class Cart; def exit_code; end; end\n"),
        ("src/Cart.php", "<?php\nnamespace Shop;\n"),
        ("docs/cart.md", "os._exit(0)\n"),
    ],
)
def test_ordinary_code_does_not(path: str, text: str) -> None:
    assert not judge_reference(path, "", text)


def test_other_files_are_not_read_for_it() -> None:
    assert [can_refer(path) for path in ("a.py", "a.ts", "a.rs", "a.md", "a.css")] == [
        *(True, True, True),
        *(False, False),
    ]
