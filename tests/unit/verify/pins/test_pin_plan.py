"""A pinned tree has the judges of the base, whatever trick the work tries."""

import pytest

from tests.unit.verify.tree_pairs import BASE, Work, actions_of, plan_of
from treadle.domain.pin_plan import MixedFile, PinnedFile, PinPlan

PYTHON = {
    "words.py": "def slug(text):\n    raise NotImplementedError\n",
    "test_it.py": "import unittest\nfrom words import slug\n",
}
NODE = {
    "package.json": '{"scripts": {"test": "jest"}, "devDependencies": {"jest": "^29.0.0"}}\n',
    "words.js": "",
    "words.test.js": "test",
}
VERIFY = {"verify.py": "import json\nimport words\n", "words.py": ""}
CHECK = {
    "check.sh": 'set -e\n. lib/util.sh\nexpect "$(./greet)" hello\n',
    "lib/util.sh": 'expect() { [ "$1" = "$2" ]; }\n',
}
GO = {"go.mod": "module words\n\ngo 1.21\n", "words.go": "package words\n", "words_test.go": "x"}
RUST = {
    "Cargo.toml": '[package]\nname = "words"\nversion = "0.1.0"\n',
    "src/lib.rs": "pub fn slug() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n"
    "    fn it() { assert!(false) }\n}\n",
    "tests/it.rs": "#[test]\nfn it() {}\n",
}
RUBY = {"Gemfile": 'source "https://gems.example"\ngem "rspec"\n', "spec/words_spec.rb": "x"}
PHP = {"composer.json": '{"require-dev": {"phpunit/phpunit": "^10"}}\n', "tests/WordsTest.php": "x"}
MAKE = {"Makefile": "check:\n\tpython3 run.py\n", "run.py": "import words\n"}

# D1: a judge that the work replaced.
REWRITTEN = [
    *(
        (Work(command, PYTHON, {"test_it.py": "pass\n"}), {"test_it.py": "restored"})
        for command in (
            "python3 -m unittest",
            "python3 -m unittest test_it",
            "python3 -m unittest test_it.Slug.test_one",
            "python3 -m pytest -q",
            "timeout 60 uv run pytest -q",
        )
    ),
    (
        Work(
            "python3 -m unittest discover -s tests",
            {"tests/test_it.py": "x"},
            {"tests/test_it.py": ""},
        ),
        {"tests/test_it.py": "restored"},
    ),
    (
        Work("node --test", {"words.test.js": "x"}, {"words.test.js": ""}),
        {"words.test.js": "restored"},
    ),
    (Work("sh check.sh", CHECK, {"check.sh": "exit 0\n"}), {"check.sh": "restored"}),
    (Work("make check", MAKE, {"Makefile": "check:\n\ttrue\n"}), {"Makefile": "restored"}),
    (Work("make check", MAKE, {"run.py": "pass\n"}), {"run.py": "restored"}),
    (Work("go test ./...", GO, {"words_test.go": ""}), {"words_test.go": "restored"}),
    (Work("cargo test", RUST, {"tests/it.rs": ""}), {"tests/it.rs": "restored"}),
    (
        Work("bundle exec rspec", RUBY, {"spec/words_spec.rb": ""}),
        {"spec/words_spec.rb": "restored"},
    ),
    (
        Work("vendor/bin/phpunit tests", PHP, {"tests/WordsTest.php": ""}),
        {"tests/WordsTest.php": "restored"},
    ),
    (
        Work("bats test", {"test/app.bats": "x"}, {"test/app.bats": ""}),
        {"test/app.bats": "restored"},
    ),
    (Work("npx vitest run", NODE, {"words.test.js": None}), {"words.test.js": "restored"}),
    (
        Work("ctest", {"CMakeLists.txt": "add_test(a b)"}, {"CMakeLists.txt": "add_test(a true)"}),
        {"CMakeLists.txt": "restored"},
    ),
    # By a file that the command does not name, or whose name has no word of a judge.
    (Work("sh check.sh", CHECK, {"lib/util.sh": "expect() { :; }\n"}), {"lib/util.sh": "restored"}),
    (
        Work("cd tools && sh ./run.sh", {"tools/run.sh": "x"}, {"tools/run.sh": "y"}),
        {"tools/run.sh": "restored"},
    ),
    (Work("node run.js", {"run.js": "x"}, {"run.js": "y"}), {"run.js": "restored"}),
    (
        Work(
            "npm test",
            {**NODE, "package.json": '{"scripts": {"test": "node run.js"}}', "run.js": "x"},
            {"run.js": ""},
        ),
        {"run.js": "restored"},
    ),
    (
        Work("./greet | diff - want.txt", {"greet": "x", "want.txt": "a"}, {"want.txt": "b"}),
        {"want.txt": "restored"},
    ),
    (
        Work("./greet | grep -qf patterns", {"greet": "x", "patterns": "a"}, {"patterns": ""}),
        {"patterns": "restored"},
    ),
    (
        Work(
            'test "$(./greet)" = "$(cat want.txt)"',
            {"want.txt": "a"},
            {"want.txt": "b", "greet": "x"},
        ),
        {"want.txt": "restored"},
    ),
]

# D2 and the like: a judge that the work added.
ADDED = [
    (
        Work("python3 -m unittest test_it", PYTHON, {"test_it/__init__.py": ""}),
        "test_it/__init__.py",
    ),
    (Work("python3 -m unittest test_it", PYTHON, {"test_it.abi3.so": ""}), "test_it.abi3.so"),
    (Work("python3 -m unittest test_it", PYTHON, {"unittest.py": ""}), "unittest.py"),
    (Work("python3 -m unittest", PYTHON, {"unittest/__init__.py": ""}), "unittest/__init__.py"),
    (Work("python3 -m pytest -q", PYTHON, {"pytest.py": ""}), "pytest.py"),
    (Work("python3 -m pytest -q", PYTHON, {"pluggy/__init__.py": ""}), "pluggy/__init__.py"),
    (Work("python3 -m pytest -q", PYTHON, {"pytest_fast.py": ""}), "pytest_fast.py"),
    (Work("python3 verify.py", VERIFY, {"json.py": ""}), "json.py"),
    (
        Work("python3 tools/verify.py", {"tools/verify.py": "x"}, {"tools/json.py": ""}),
        "tools/json.py",
    ),
    (Work("PYTHONPATH=deps python3 verify.py", VERIFY, {"deps/json.py": ""}), "deps/json.py"),
    (Work("PYTHONPATH=. python3 verify.py", VERIFY, {"sitecustomize.py": ""}), "sitecustomize.py"),
    (Work("python3 verify.py", VERIFY, {"usercustomize.py": ""}), "usercustomize.py"),
    (Work("python3 verify.py", VERIFY, {"json.cpython-311.pyc": ""}), "json.cpython-311.pyc"),
    (Work("python3 -m pytest -q test_it.py", PYTHON, {"conftest.py": ""}), "conftest.py"),
    (Work("python3 -m pytest -q test_it.py", PYTHON, {"pytest.ini": ""}), "pytest.ini"),
    (
        Work(
            "python3 -m pytest",
            {**PYTHON, "requirements.txt": "freezegun\nrequests==2\n"},
            {"requests.py": ""},
        ),
        "requests.py",
    ),
    (Work("npm test", NODE, {".npmrc": "script-shell=/bin/true"}), ".npmrc"),
    (Work("npm test", NODE, {"node_modules/.bin/jest": ""}), "node_modules/.bin/jest"),
    (Work("npm test", NODE, {"__mocks__/fs.js": ""}), "__mocks__/fs.js"),
    (Work("npm test", NODE, {"babel.config.js": ""}), "babel.config.js"),
    (Work("npm test", NODE, {"jest.config.js": ""}), "jest.config.js"),
    (Work("npm test", NODE, {".pnp.cjs": ""}), ".pnp.cjs"),
    (
        Work(
            "npx vitest run",
            {"package.json": '{"devDependencies": {"vitest": "1"}}'},
            {"vite.config.ts": ""},
        ),
        "vite.config.ts",
    ),
    (Work("npx vitest run", NODE, {"test/package.json": "{}"}), "test/package.json"),
    (Work("bun test", NODE, {"bunfig.toml": ""}), "bunfig.toml"),
    (Work("make check", MAKE, {"GNUmakefile": ""}), "GNUmakefile"),
    (Work("make check", MAKE, {"makefile": ""}), "makefile"),
    (
        Work(
            "make check",
            {**MAKE, "Makefile": "-include local.inc\ncheck:\n\ttrue\n"},
            {"local.inc": ""},
        ),
        "local.inc",
    ),
    (Work("go test ./...", GO, {"go.work": ""}), "go.work"),
    (Work("go test ./...", GO, {"main_test.go": ""}), "main_test.go"),
    (Work("go test ./...", GO, {"vendor/modules/x.go": ""}), "vendor/modules/x.go"),
    (Work("cargo test", RUST, {".cargo/config.toml": ""}), ".cargo/config.toml"),
    (Work("cargo test", RUST, {"build.rs": ""}), "build.rs"),
    (Work("cargo test", RUST, {"rust-toolchain.toml": ""}), "rust-toolchain.toml"),
    (Work("bundle exec rspec", RUBY, {".rspec": "--dry-run"}), ".rspec"),
    (
        Work(
            "ruby -Ilib -Itest test/a_test.rb",
            {"test/a_test.rb": ""},
            {"lib/minitest/autorun.rb": ""},
        ),
        "lib/minitest/autorun.rb",
    ),
    (Work("ruby -Ilib test/a_test.rb", {"test/a_test.rb": ""}, {"lib/json.rb": ""}), "lib/json.rb"),
    (Work("vendor/bin/phpunit", PHP, {"vendor/bin/phpunit": ""}), "vendor/bin/phpunit"),
    (Work("vendor/bin/phpunit", PHP, {"vendor/autoload.php": ""}), "vendor/autoload.php"),
    (Work("vendor/bin/phpunit", PHP, {"phpunit.xml": ""}), "phpunit.xml"),
    (
        Work("vendor/bin/phpunit", PHP, {"src/PHPUnit/Framework/TestCase.php": ""}),
        "src/PHPUnit/Framework/TestCase.php",
    ),
    (Work("prove -l t", {"t/a.t": ""}, {"lib/Test/More.pm": ""}), "lib/Test/More.pm"),
    (Work("prove -l t", {"t/a.t": ""}, {".proverc": ""}), ".proverc"),
    (
        Work("mvn -q test", {"pom.xml": "<project></project>"}, {".mvn/jvm.config": ""}),
        ".mvn/jvm.config",
    ),
    (
        Work(
            "mvn -q test",
            {"pom.xml": "<project></project>"},
            {"src/main/java/org/junit/Assert.java": ""},
        ),
        "src/main/java/org/junit/Assert.java",
    ),
    (
        Work(
            "./gradlew test",
            {"build.gradle": "", "gradlew": ""},
            {"src/main/resources/junit-platform.properties": ""},
        ),
        "src/main/resources/junit-platform.properties",
    ),
    (
        Work("bats test", {"test/a.bats": ""}, {"test/test_helper.bash": ""}),
        "test/test_helper.bash",
    ),
    (Work("PATH=./bin:$PATH sh check.sh", CHECK, {"bin/grep": ""}), "bin/grep"),
    (Work('export PATH="$PWD/bin:$PATH"; sh check.sh', CHECK, {"bin/sh": ""}), "bin/sh"),
    (
        Work(
            "make check",
            {"Makefile": "check:\n\tcc -Iinclude t_words.c\n"},
            {"include/assert.h": ""},
        ),
        "include/assert.h",
    ),
    (Work("dotnet test", {"App.sln": ""}, {"Directory.Build.props": ""}), "Directory.Build.props"),
    # A script whose exit code is all that is looked at.
    (Work("./run", {}, {"run": "exit 0"}), "run"),
    (Work("python3 verify.py", {}, {"verify.py": ""}), "verify.py"),
    (Work("bash run_tests.sh | grep -q PASS", {}, {"run_tests.sh": "echo PASS"}), "run_tests.sh"),
    (Work("npx tsx src/main.ts", {}, {"src/main.ts": ""}), "src/main.ts"),
    (Work("go run ./cmd/words", GO, {"cmd/words/main.go": ""}), "cmd/words/main.go"),
    (Work("BASH_ENV=./env sh check.sh", CHECK, {"env": ""}), "env"),
    (Work("node -r ./hook.js words.test.js", NODE, {"hook.js": ""}), "hook.js"),
]


@pytest.mark.parametrize(("work", "actions"), REWRITTEN)
def test_a_judge_that_the_work_changed_is_restored(work: Work, actions: dict[str, str]) -> None:
    assert actions_of(work) == actions


@pytest.mark.parametrize(("work", "path"), ADDED)
def test_a_judge_that_the_work_added_is_left_out(work: Work, path: str) -> None:
    assert actions_of(work) == {path: "left_out"}


def test_a_plan_says_what_each_file_is() -> None:
    changes = {"test_it.py": "pass\n", "unittest.py": "", "words.py": "def slug(): ...\n"}

    assert plan_of(Work("python3 -m unittest", PYTHON, changes)) == PinPlan(
        BASE,
        (
            PinnedFile("test_it.py", "restored", "tests and their data"),
            PinnedFile("unittest.py", "left_out", "shadows unittest"),
        ),
    )


# D7: weakened tests are judges like others.
@pytest.mark.parametrize(
    ("changes", "actions"),
    [
        ({"tests/test_a.py": None}, {"tests/test_a.py": "restored"}),
        ({"tests/test_a.py": "@unittest.expectedFailure\n"}, {"tests/test_a.py": "restored"}),
        (
            {"tests/test_a.py": None, "other/test_a.py": "def test_a(): pass\n"},
            {"tests/test_a.py": "restored", "other/test_a.py": "left_out"},
        ),
        (
            {"tests/data.json": "{}", "tests/helpers.py": ""},
            {"tests/data.json": "restored", "tests/helpers.py": "restored"},
        ),
        ({"tox.ini": "[pytest]\naddopts = --co\n"}, {"tox.ini": "left_out"}),
        ({".coveragerc": "", "setup.py": ""}, {".coveragerc": "left_out", "setup.py": "left_out"}),
    ],
)
def test_weakened_tests_do_not_judge(
    changes: dict[str, str | None], actions: dict[str, str]
) -> None:
    base = {
        "tests/test_a.py": "x",
        "tests/data.json": "[]",
        "tests/helpers.py": "x",
        "app/a.py": "",
    }

    assert actions_of(Work("python3 -m pytest", base, changes)) == actions


def test_a_link_in_place_of_a_folder_of_tests_gives_way_to_the_folder() -> None:
    changes = {"tests/test_a.py": None, "tests": "fake"}
    work = Work("pytest", {"tests/test_a.py": "x"}, changes, frozenset({"tests"}))

    assert actions_of(work) == {
        "tests/test_a.py": "restored",
        "tests": "left_out",
    }


def test_a_folder_in_place_of_a_script_gives_way_to_the_script() -> None:
    work = Work("sh check.sh", {"check.sh": "x"}, {"check.sh": None, "check.sh/a.txt": "b"})

    assert actions_of(work) == {"check.sh": "restored", "check.sh/a.txt": "left_out"}


def test_a_link_with_the_name_of_a_module_shadows_it() -> None:
    work = Work("python3 -m unittest", PYTHON, {"unittest": "app"}, frozenset({"unittest"}))

    assert actions_of(work) == {"unittest": "left_out"}


@pytest.mark.parametrize(
    ("work", "mixed"),
    [
        # The product prints what it is compared with.
        (
            Work(
                "sh app.sh | diff - expected/out.txt",
                {"expected/out.txt": "hi"},
                {"app.sh": "cat expected/out.txt"},
            ),
            MixedFile("app.sh", "expectations", "expected/out.txt"),
        ),
        # Tests inside of product files.
        (
            Work("cargo test", RUST, {"src/lib.rs": RUST["src/lib.rs"].replace("false", "true")}),
            MixedFile("src/lib.rs"),
        ),
        (Work("cargo test", RUST, {"src/lib.rs": "pub fn slug() {}\n"}), MixedFile("src/lib.rs")),
        (Work("cargo test", RUST, {"src/lib.rs": None}), MixedFile("src/lib.rs")),
        (
            Work("cargo test", RUST, {"src/m.rs": "macro_rules! assert { () => {} }\n"}),
            MixedFile("src/m.rs", "runner", "macro_rules! assert { () => {} }"),
        ),
        (
            Work(
                "python3 -m doctest words.py", {"words.py": '""">>> 1\n2\n"""\n'}, {"words.py": ""}
            ),
            MixedFile("words.py"),
        ),
        (
            Work(
                "pytest",
                {
                    "words.py": '""">>> 1\n2\n"""\n',
                    "pytest.ini": "[pytest]\naddopts = --doctest-modules",
                },
                {"words.py": ""},
            ),
            MixedFile("words.py"),
        ),
        (
            Work(
                "python3 -m pytest",
                {"app/settings.py": ""},
                {"app/settings.py": "TEST_RUNNER = 'x'\n"},
            ),
            MixedFile("app/settings.py", "runner", "TEST_RUNNER = 'x'"),
        ),
    ],
)
def test_a_product_that_holds_its_judge_is_named(work: Work, mixed: MixedFile) -> None:
    assert plan_of(work) == PinPlan(BASE, (), (mixed,))


def test_scripts_of_the_setup_command_are_those_of_the_base() -> None:
    work = Work(
        "pytest", {"setup.sh": "pip install pytest\n"}, {"setup.sh": "cp fake .venv/bin/\n"}
    )

    assert actions_of(work, setup="sh setup.sh") == {"setup.sh": "restored"}
    assert actions_of(work) == {}
