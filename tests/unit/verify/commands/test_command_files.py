"""The judges of a command are told from the product that it runs."""

import pytest

from tests.unit.verify.tree_pairs import read_pair
from treadle.domain.check import FileChange
from treadle.verify.commands.command_files import find_judges, read_command
from treadle.verify.commands.comparisons import files_looked_at

FILES = dict.fromkeys(
    [
        *(
            "check.sh",
            "tests/run.sh",
            "tools/verify.py",
            "tools/run.sh",
            "tools/verify/__main__.py",
        ),
        *(
            "web/check.sh",
            "web/run.js",
            "web/Makefile",
            "expected/hello.txt",
            "golden/a.txt",
            "out",
        ),
        *(
            "checks/slug.js",
            "greet",
            "tally.py",
            "rotate.sh",
            "checkout.py",
            "run.sh",
            "src/run.sh",
        ),
        *("test_add.py", "tests/test_add.py", "app/cli.py", "bin/greet", "in.txt", "patterns"),
        *("sums.txt", "hook.js", "setup.rb", "prog.awk", "build.sh", "README.md", "conf.json"),
    ],
    "x",
)


def judges(command: str) -> set[str]:
    changes = [FileChange(path, "changed") for path in FILES]
    return set(find_judges(command, changes))


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("./check.sh", "check.sh"),
        ("sh tests/run.sh", "tests/run.sh"),
        ("python3 tools/verify.py --all", "tools/verify.py"),
        ("python3 -m tools.verify", "tools/verify.py"),
        ("python3 -m tools.verify", "tools/verify/__main__.py"),
        ("python3 -m unittest tests.test_add.Add.test_two", "tests/test_add.py"),
        ("pytest tests/test_add.py::test_two -q", "tests/test_add.py"),
        ("make -C web test", "web/Makefile"),
        ("cd web; ./check.sh", "web/check.sh"),
        ("(cd web && node run.js)", "web/run.js"),
        ("for each in tools/*.sh; do sh $each || exit 1; done", "tools/run.sh"),
        ("for each in run build; do sh ./$each.sh || exit 1; done", "build.sh"),
        ("for each in src web; do (cd $each && sh run.sh); done", "src/run.sh"),
        ("sh -c './check.sh && true'", "check.sh"),
        ("bash -euc 'cd tools; ./run.sh'", "tools/run.sh"),
        ('test "$(./check.sh)" = ok', "check.sh"),
        ("./greet | diff expected/hello.txt -", "expected/hello.txt"),
        ("./greet | diff -r out expected/", "expected/hello.txt"),
        ("cat golden/*.txt | cmp - out", "golden/a.txt"),
        ("node checks/slug.js 'A day' a-day", "checks/slug.js"),
        ("timeout 60 env A=1 uv run python tally.py", "tally.py"),
        ("coverage run tally.py", "tally.py"),
        ("python3 tally.py --top 2 t.txt", "tally.py"),
        ("python3 tally.py | cat", "tally.py"),
        ("python3 tally.py; echo done", "tally.py"),
        ("./rotate.sh 3 samples", "rotate.sh"),
        ("sh build.sh && grep -q Install README.md", "build.sh"),
        ("sh run.sh || grep -q ok out", "run.sh"),
        ("echo $(sh run.sh)", "run.sh"),
        ("bash < run.sh", "run.sh"),
        ('sh "$PWD/run.sh"', "run.sh"),
        ('DIR=tools; sh "$DIR/run.sh"', "tools/run.sh"),
        ("python3 -m app.cli", "app/cli.py"),
        ("PATH=./bin:$PATH greet", "bin/greet"),
        (". ./conf.json && pytest", "conf.json"),
        ("node -r ./hook.js checks/slug.js", "hook.js"),
        ("NODE_OPTIONS='--require ./hook.js' npm test", "hook.js"),
        ("ruby -r./setup.rb -Ilib a.rb", "setup.rb"),
        ("awk -f prog.awk out", "prog.awk"),
        ("./greet | grep -qf patterns", "patterns"),
        ("sha256sum -c sums.txt", "sums.txt"),
        ("./greet < in.txt | grep x", "in.txt"),
        ("echo 'not closed; sh run.sh", "run.sh"),
        ("sh run.sh; test $? -eq 0", "run.sh"),
        ("sh run.sh; [ 0 = $? ]", "run.sh"),
        ("sh run.sh; [ $? -ne 1 ]", "run.sh"),
        ("sh run.sh; [ $? -lt 1 ]", "run.sh"),
        ("sh run.sh; test $? -eq 2 -o $? -eq 0", "run.sh"),
        ('test "$(sh run.sh; echo $?)" = 0', "run.sh"),
        ("sh check.sh; test $? -eq 2", "check.sh"),
        ("bash -e <<'END'\n./run.sh\nEND", "run.sh"),
        ("sh -s 3 <<< 'sh run.sh'", "run.sh"),
        ("python3 - <<'END'\nimport tools.verify\nEND", "tools/verify.py"),
        ("cat > in.txt <<END && sh run.sh in.txt\nthree words\nEND", "run.sh"),
    ],
)
def test_a_command_is_judged_by_this_file(command: str, path: str) -> None:
    assert path in judges(command)


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("./greet | grep -q hello", "greet"),
        ("./greet | sort | grep -q hello", "greet"),
        ("python3 tally.py t.txt | jq -e .total", "tally.py"),
        ('test "$(python3 tally.py)" = 3', "tally.py"),
        ('out=$(./greet); [ "$out" = hello ]', "greet"),
        ("./greet > page.txt && grep -q hello page.txt", "greet"),
        ("sh build.sh && test -f dist/a.js", "build.sh"),
        ("sh build.sh && python3 -m pytest", "build.sh"),
        ("sh build.sh && sh check.sh", "build.sh"),
        ("! ./greet --bad", "greet"),
        ("./greet <<END | grep -q hello\nname\nEND", "greet"),
        ("cat <<END | ./greet | grep -q hello\nname\nEND", "greet"),
        # An exit code other than that of success is a result.
        ("./greet --bad 2>/dev/null; test $? -eq 2", "greet"),
        ("./greet --bad; [ $? -ne 0 ]", "greet"),
        ("./greet --bad; [[ $? == 3 ]]", "greet"),
        ('[ "$(./greet --bad >/dev/null; echo $?)" = 2 ]', "greet"),
        ("for n in 0 x; do ./rotate.sh $n; test $? -eq 2 || exit 1; done", "rotate.sh"),
        ("python3 -m app.cli add 1 | grep -q 1", "app/cli.py"),
        ("python3 -c 'import tally'", "tally.py"),
        ("python3 -m py_compile tally.py", "tally.py"),
        ("bash -n rotate.sh", "rotate.sh"),
        ("for each in *.sh; do bash -n $each; done", "rotate.sh"),
        ("for each in 1 2; do ./rotate.sh $each | grep -q x; done", "rotate.sh"),
        ("for each; do sh $each; done", "rotate.sh"),
        ("python3 checkout.py | grep -q paid", "checkout.py"),
        ("./check.sh", "web/check.sh"),
        ("./check.sh", "web/Makefile"),
        ("grep -q Install README.md", "README.md"),
        ("jq -e .a conf.json", "conf.json"),
        ("pytest tests", "app/cli.py"),
        ("./greet in.txt > out && ./greet in.txt | grep -q x", "in.txt"),
        ("./run.sh --fast", "src/run.sh"),
        ("PATH=./bin:$PATH greet | grep -q hi", "bin/greet"),
        ("", "check.sh"),
    ],
)
def test_and_not_by_the_product(command: str, path: str) -> None:
    assert path not in judges(command)


def test_a_program_whose_output_is_looked_at_once_is_the_product_everywhere() -> None:
    assert (
        judges("python3 tally.py add 1; python3 tally.py | grep 1; python3 tally.py quit") == set()
    )


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("diff expected/hello.txt out", {"expected/hello.txt"}),
        ("diff README.md conf.json", {"README.md", "conf.json"}),
        ("./greet > out && cmp out conf.json", {"conf.json"}),
        ('grep -qFx "$(cat conf.json)" out', {"conf.json"}),
        ('[ "$(./greet)" = "$(<conf.json)" ]', {"conf.json"}),
        ('[ "$(cat conf.json)" = 3 ]', set()),
        # Data that a judge gets together with a result.
        ("./greet > page && python3 tools/verify.py page in.txt", {"tools/verify.py", "in.txt"}),
        (
            "./greet > page && python3 -c \"assert open('page').read() == open('in.txt').read()\"",
            {"in.txt"},
        ),
    ],
)
def test_of_two_sides_the_expected_one_judges(command: str, expected: set[str]) -> None:
    assert judges(command) == expected


def test_of_two_sides_the_one_that_was_there_judges() -> None:
    pair = read_pair({"want.txt": "a"}, {"want.txt": "a", "have.txt": "a"})

    assert read_command("diff have.txt want.txt", pair).expectations == {"want.txt"}


def test_a_program_that_is_asked_for_is_the_product_if_the_line_looks_at_its_output() -> None:
    pair = read_pair({"page.html": ""}, {"page.html": "", "bin/check-links": ""})

    assert read_command("bin/check-links page.html | grep -q dead", pair).judges == {}
    assert set(read_command("bin/check-links page.html", pair).judges) == {"bin/check-links"}


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("test -f .github/workflows/ci.yml", {".github/workflows/ci.yml"}),
        ("grep -q '^lint:' Makefile && test -x tests/run.sh", {"Makefile", "tests/run.sh"}),
        ("cat package.json | jq -e .scripts.lint", {"package.json"}),
        ("[ -f Makefile -a -f package.json ]", {"Makefile", "package.json"}),
        # It is to be gone, or one is compared with the other.
        ("! grep -q skip tests/run.sh", set()),
        ("test ! -e tests/run.sh", set()),
        ("diff Makefile package.json", set()),
        ("grep -qf Makefile package.json", set()),
        ('[ "$(cat Makefile)" = x ]', set()),
        # The line runs something besides.
        ("grep -q '^lint:' Makefile && make lint", set()),
        ("test -x tests/run.sh && sh tests/run.sh", set()),
        ("", set()),
    ],
)
def test_a_line_that_only_looks_at_files_asks_for_them(command: str, files: set[str]) -> None:
    paths = (".github/workflows/ci.yml", "Makefile", "package.json", "tests/run.sh")
    base = dict.fromkeys(paths, "")

    assert files_looked_at(command, read_pair(base, base)) == files


def test_a_judging_script_leads_to_those_it_loads_and_to_tasks() -> None:
    base = {
        "package.json": '{"scripts": {"pretest": "sh prepare.sh", "test": "sh all.sh"}}',
        "all.sh": 'cd "$(dirname "$0")"\n. lib/a.sh\npython3 app.py | grep -q x\nexec ./more\n',
        "prepare.sh": "x",
        "lib/a.sh": ". lib/b.sh\npython3 checks_b.py\n",
        "lib/b.sh": "",
        "checks_b.py": "",
        "app.py": "",
        "more": "",
        "other.sh": "",
    }
    changed = {path: f"{text} " for path, text in base.items()}

    assert set(read_command("npm test", read_pair(base, changed)).judges) == {
        *("package.json", "all.sh", "prepare.sh", "lib/a.sh", "lib/b.sh", "checks_b.py", "more")
    }


def test_a_package_of_the_project_that_brings_the_runner_judges() -> None:
    base = {
        "package.json": '{"scripts": {"test": "judge"}, "devDependencies": {"judge": "file:a/b"}}',
        "a/b/run.js": "1",
        "a/bc/app.js": "1",
    }
    changed = {path: f"{text} " for path, text in base.items()}

    judges = read_command("npm test", read_pair(base, changed)).judges

    assert set(judges) == {"package.json", "a/b/run.js"}


def test_a_script_of_the_base_may_run_a_program_that_is_still_to_be_written() -> None:
    base = {"all.sh": "python3 app.py 1 2\n"}
    pair = read_pair(base, {**base, "app.py": ""})

    assert set(read_command("sh all.sh", pair).judges) == {"all.sh"}


def test_contents_are_asked_for_as_scripts_lead_to_them() -> None:
    base = {"check.sh": ". lib/a.sh\n", "lib/a.sh": "", "app.py": ""}
    pair = read_pair(base, base)

    assert read_command("sh check.sh", pair).needed == {"check.sh", "lib/a.sh"}


def test_folders_are_known_that_modules_and_programs_are_looked_for_in() -> None:
    files = read_command(
        "export PATH=$PWD/bin:$PATH; cd web && PYTHONPATH=lib:../deps python3 tools/a.py",
        read_pair({"web/tools/a.py": ""}, {"web/tools/a.py": ""}),
    )

    assert files.import_roots == {"", "web", "web/lib", "deps", "web/tools"}
    assert files.program_folders == {"bin"}
