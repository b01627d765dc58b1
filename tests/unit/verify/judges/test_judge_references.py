"""Product code that newly refers to its judge is found."""

import pytest

from treadle.verify.judges.judge_references import RULES, can_refer, judge_reference


@pytest.mark.parametrize(
    ("ending", "text"),
    [(ending, text) for rule in RULES for ending in rule.endings for text in rule.examples],
)
def test_every_rule_fits_its_examples(ending: str, text: str) -> None:
    path = f"lib/words{ending}"
    if ending != ".pl":
        assert judge_reference(path, "", text)
    assert not judge_reference(path, text, text)


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
