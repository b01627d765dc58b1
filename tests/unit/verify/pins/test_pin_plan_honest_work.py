"""Honest work keeps its product in the pinned tree, with what ordinary work adds besides."""

import json

import pytest

from tests.unit.verify.tree_pairs import Files, Work, actions_of

PYTHON = {
    "pyproject.toml": '[project]\nname = "shop"\nversion = "0.1.0"\ndependencies = []\n'
    '[tool.pytest.ini_options]\naddopts = "-q"\n',
    "shop/__init__.py": "",
    "shop/cart.py": "x",
    "tests/test_cart.py": "from shop.cart import Cart\n",
    "README.md": "# Shop\n",
    "uv.lock": 'version = 1\n\n[[package]]\nname = "shop"\nsource = { editable = "." }\n',
}
NODE = {
    "package.json": json.dumps(
        {
            "name": "shop",
            "type": "module",
            "scripts": {"test": "vitest run"},
            "devDependencies": {"vitest": "^2"},
        },
        indent=2,
    )
    + "\n",
    "src/cart.ts": "x",
    "test/cart.test.ts": "x",
    "package-lock.json": '{\n  "packages": {\n    "node_modules/vitest": {\n'
    '      "resolved": "https://index.example/vitest/-/vitest-2.0.0.tgz"\n    }\n  }\n}\n',
}
GO = {"go.mod": "module shop\n\ngo 1.21\n", "cart.go": "x", "cart_test.go": "x"}
RUST = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": "pub mod cart;\n",
    "src/cart.rs": "pub fn total() -> u32 { 0 }\n\n#[cfg(test)]\nmod tests {\n"
    "    #[test]\n    fn it() {}\n}\n",
    "tests/cart.rs": "x",
}
RUBY = {
    "Gemfile": 'source "https://gems.example"\n\ngem "rspec"\n',
    "lib/cart.rb": "x",
    "spec/cart_spec.rb": "x",
}
PHP = {
    "composer.json": '{\n    "autoload": {"psr-4": {"Shop\\\\": "src/"}},\n'
    '    "require-dev": {"phpunit/phpunit": "^10"}\n}\n',
    "src/Cart.php": "x",
    "tests/CartTest.php": "x",
    "phpunit.xml": "x",
}
C = {
    "Makefile": "SRC = cart.c\ncheck: t_cart\n\t./t_cart\nt_cart: $(SRC) t_cart.c\n\tcc -o $@ $^\n",
    "cart.c": "x",
    "t_cart.c": "x",
}
SHELL: Files = {"README.md": "x"}

# Each with all that ordinary work does besides: what it does to other files than the product.
ORDINARY: list[tuple[Work, dict[str, str]]] = [
    # Python
    (
        Work(
            "python3 -m pytest",
            PYTHON,
            {
                "shop/cart.py": "done",
                "shop/types.py": "",
                "shop/logging.py": "",
                "shop/prices/__init__.py": "",
                "shop/prices/rounding.py": "",
                "shop/data/rates.json": "{}",
                "shop/templates/cart.html": "",
                "shop/migrations/0002_price.py": "",
                "config/default.toml": "",
                "docs/cart.md": "",
                "README.md": "# Shop\n\nMore.\n",
                "assets/logo.svg": "",
                "LICENSE": "",
            },
        ),
        {},
    ),
    (
        Work(
            "python3 -m pytest",
            PYTHON,
            {
                "shop/cart.py": "done",
                "tests/test_prices.py": "",
                "tests/data/rates.json": "",
                "tests/conftest.py": "",
            },
        ),
        {
            "tests/test_prices.py": "left_out",
            "tests/data/rates.json": "left_out",
            "tests/conftest.py": "left_out",
        },
    ),
    (
        Work(
            "python3 -m pytest",
            PYTHON,
            {
                "shop/cart.py": "done",
                "pyproject.toml": PYTHON["pyproject.toml"].replace("[]", '["click>=8", "rich"]'),
                "uv.lock": PYTHON["uv.lock"] + '\n[[package]]\nname = "click"\nversion = "8.1.7"\n'
                'source = { registry = "https://index.example/simple" }\n',
            },
        ),
        {},
    ),
    (
        Work(
            "python3 -m pytest",
            {"words.py": "x", "test_words.py": "from words import slug\n"},
            {
                "words.py": "done",
                "helpers.py": "",
                "text_tools/__init__.py": "",
                "requirements.txt": "rich>=13\n",
            },
        ),
        {},
    ),
    (
        # Folders without `__init__.py` are packages as well.
        Work(
            "python3 -m pytest",
            {"app/main.py": "x", "tests/test_main.py": "from app.main import run\n"},
            {"app/main.py": "done", "app/logging.py": "", "app/queue.py": ""},
        ),
        {},
    ),
    (
        Work(
            "pytest --doctest-modules",
            {"words.py": '"""\n>>> slug("A")\n\'a\'\n"""\n'},
            {"words.py": '"""\n>>> slug("A")\n\'a\'\n\n>>> slug("B")\n\'b\'\n"""\ndef slug(): 1\n'},
        ),
        {},
    ),
    # Node
    (
        Work(
            "npm test",
            NODE,
            {
                "src/cart.ts": "done",
                "src/money.ts": "",
                "src/utils/round.ts": "",
                "src/types.ts": "",
                "public/logo.png": "",
                "locales/en.json": "",
                "docs/api.md": "",
            },
        ),
        {},
    ),
    (
        Work(
            "npm test",
            NODE,
            {
                "src/cart.ts": "done",
                "package.json": NODE["package.json"].replace(
                    '"vitest": "^2"', '"vitest": "^2",\n    "zod": "^3.23.0"'
                ),
                "package-lock.json": NODE["package-lock.json"].replace(
                    '"packages": {\n',
                    '"packages": {\n    "node_modules/zod": {\n      "funding": {"url": "https://a.example"},\n'
                    '      "resolved": "https://index.example/zod/-/zod-3.23.0.tgz"\n    },\n',
                ),
            },
        ),
        {},
    ),
    (
        Work(
            "npm test",
            NODE,
            {
                "package.json": NODE["package.json"].replace(
                    '{\n    "test"', '{\n    "build": "tsc",\n    "test"'
                )
            },
        ),
        {"package.json": "restored"},
    ),
    (
        Work(
            "npm run build && test -f dist/index.html",
            {"package.json": "{}"},
            {"vite.config.ts": "", "index.html": ""},
        ),
        {},
    ),
    (
        Work(
            "node bin/shop.js total 2 3 | grep -qx 5",
            NODE,
            {"bin/shop.js": "", "src/cart.ts": "done"},
        ),
        {},
    ),
    # Go, Rust
    (
        Work(
            "go test ./...",
            GO,
            {
                "cart.go": "done",
                "internal/money/money.go": "",
                "cmd/shop/main.go": "",
                "go.mod": GO["go.mod"] + "\nrequire golang.example/text v0.14.0\n",
                "go.sum": "golang.example/text v0.14.0 h1:abc=\n",
            },
        ),
        {},
    ),
    (
        Work("go run ./cmd/shop 2 3 | grep -qx 5", GO, {"cmd/shop/main.go": "", "cart.go": "done"}),
        {},
    ),
    (
        Work(
            "cargo test",
            RUST,
            {
                "src/cart.rs": RUST["src/cart.rs"].replace("{ 0 }", "{ 5 }"),
                "src/lib.rs": "pub mod cart;\npub mod money;\n",
                "src/money.rs": "#[test]\nfn new() {}\n",
                "src/main.rs": "fn main() {}\n",
                "Cargo.toml": RUST["Cargo.toml"]
                + '\n[dependencies]\nserde = { version = "1", features = ["derive"] }\n',
                "Cargo.lock": '[[package]]\nname = "serde"\nversion = "1.0.0"\n'
                'source = "registry+https://index.example/crates"\n',
            },
        ),
        {},
    ),
    # Ruby, PHP
    (
        Work(
            "bundle exec rspec",
            RUBY,
            {
                "lib/cart.rb": "done",
                "lib/cart/line.rb": "",
                "exe/cart": "",
                "Gemfile": RUBY["Gemfile"] + 'gem "money", "~> 6.0"\n',
                "spec/line_spec.rb": "",
            },
        ),
        {"spec/line_spec.rb": "left_out"},
    ),
    (
        Work(
            "vendor/bin/phpunit",
            PHP,
            {
                "src/Cart.php": "done",
                "src/Money.php": "",
                "config/app.php": "",
                "database/migrations/2024_add.php": "",
                "composer.json": PHP["composer.json"].replace(
                    '"autoload"', '"require": {"brick/money": "^0.8"},\n    "autoload"'
                ),
            },
        ),
        {},
    ),
    # C, shell
    (
        Work(
            "make check",
            C,
            {
                "cart.c": "done",
                "money.c": "",
                "money.h": "",
                "Makefile": C["Makefile"].replace("cart.c\n", "cart.c money.c\n", 1),
            },
        ),
        {},
    ),
    (Work("./greet World | grep -q 'Hello, World'", SHELL, {"greet": "", "lib/text.sh": ""}), {}),
    (Work('test "$(sh greet.sh)" = "Hello"', SHELL, {"greet.sh": "", "README.md": "y"}), {}),
    (Work("sh build.sh && test -f dist/page.html", SHELL, {"build.sh": "", "src/page.md": ""}), {}),
    (Work("test -f .github/workflows/ci.yml", SHELL, {".github/workflows/ci.yml": "x"}), {}),
    (Work("grep -q '^lint:' Makefile", C, {"Makefile": f"{C['Makefile']}lint:\n\tcc -W\n"}), {}),
    (Work("jq -e .scripts.lint package.json", {"package.json": "{}"}, {"package.json": "{1}"}), {}),
    (Work("! ./greet --unknown", SHELL, {"greet": ""}), {}),
    (Work("grep -q Install README.md", SHELL, {"README.md": "Install\n"}), {}),
    (
        Work(
            "test -x bin/tool && jq -e .name conf.json", SHELL, {"bin/tool": "", "conf.json": "{}"}
        ),
        {},
    ),
    (
        Work(
            "./app < in.txt | diff - expected.txt",
            {"in.txt": "1", "expected.txt": "2"},
            {"app": ""},
        ),
        {},
    ),
    (
        Work("python3 app.py > out.txt && diff out.txt want.txt", {"want.txt": ""}, {"app.py": ""}),
        {},
    ),
    (
        Work(
            "sh check.sh",
            {
                "check.sh": "set -e\npython3 app.py add 1 || exit 1\n"
                "python3 app.py list | grep -q 1\npython3 app.py quit\n"
            },
            {"app.py": "", "store.py": ""},
        ),
        {},
    ),
    (Work("python3 -c 'import words; assert words.slug(1)'", SHELL, {"words.py": ""}), {}),
    (Work("node --check app.js && bash -n run.sh", SHELL, {"app.js": "", "run.sh": ""}), {}),
    (Work("PATH=./bin:$PATH greet | grep -q hi", SHELL, {"bin/greet": ""}), {}),
    (
        Work(
            "node server.js & sleep 1; curl -sf localhost:3000 | grep -q ok",
            SHELL,
            {"server.js": ""},
        ),
        {},
    ),
]


@pytest.mark.parametrize(("work", "actions"), ORDINARY)
def test_the_product_of_ordinary_work_stays(work: Work, actions: dict[str, str]) -> None:
    assert actions_of(work) == actions
