"""The lines that a task runner would run are read from the files of the base."""

import pytest

from treadle.verify.commands.task_lines import TaskLines, read_task

BUILT = frozenset({"all", "build", "check"})
FILES = {
    "package.json": '{"scripts": {"pretest": "sh pre.sh", "test": "node run.js", "lint": "x"}}',
    "web/package.json": '{"scripts": {"test": "jest"}}',
    "tools/package.json": '{"scripts": {"test": "judge --all && lint", "build": "bundle"},'
    ' "dependencies": {"bundle": "1.0.0", "@own/lint": "./linter"},'
    ' "devDependencies": {"runner": "file:../run", "other": "link:../other"}}',
    "run/package.json": '{"bin": {"judge": "a.js"}}',
    "composer.json": '{"scripts": {"test": ["@lint", "phpunit"]}}',
    "deno.json": '{"tasks": {"test": "deno run a.ts"}}',
    "Makefile": "-include local.mk\nPY ?= python3\nall: build\n\nbuild:\n\tsh build.sh\n"
    "check: build ; echo checking\n\t@$(PY) verify.py \\\n\t  --all $@\n\n\t-rm $$TMP\n",
    "justfile": "import 'more.just'\ncheck n='x': build\n    ./verify\nbuild:\n    sh build.sh\n",
    "odd/package.json": "[",
    "noxfile.py": 'def test(session):\n    session.run("python", "run.py", "--all")\n',
    "tox.ini": "[testenv]\ncommands = pytest {posargs}\n    python run.py\n",
    "Taskfile.yml": "tasks:\n  check:\n    cmds:\n      - python run.py\n      - cmd: sh a.sh\n",
    "Rakefile": 'task :test do\n  sh "ruby run.rb"\nend\n',
}


@pytest.mark.parametrize(
    ("words", "folder", "task"),
    [
        ("npm test", "", TaskLines("", "sh pre.sh\nnode run.js", sources=("package.json",))),
        ("npm t -- --fast", "", TaskLines("", "sh pre.sh\nnode run.js", sources=("package.json",))),
        ("yarn run lint", "", TaskLines("", "x", sources=("package.json",))),
        ("npm --prefix web test", "", TaskLines("web", "jest", sources=("web/package.json",))),
        ("pnpm test", "web", TaskLines("web", "jest", sources=("web/package.json",))),
        ("npm run none", "", TaskLines("", sources=("package.json",))),
        ("npm test", "odd", TaskLines("odd", sources=("odd/package.json",))),
        (
            "npm test",
            "tools",
            TaskLines(
                "tools",
                "judge --all && lint",
                sources=("tools/package.json",),
                tools=("tools/linter", "run"),
            ),
        ),
        ("npm run build", "tools", TaskLines("tools", "bundle", sources=("tools/package.json",))),
        ("composer test", "", TaskLines("", "lint\nphpunit", sources=("composer.json",))),
        ("deno task test", "", TaskLines("", "deno run a.ts", sources=("deno.json",))),
        (
            "make check",
            "",
            TaskLines(
                "",
                "sh build.sh\necho checking\npython3 verify.py  \t  --all \nrm $TMP",
                ("local.mk",),
                ("GNUmakefile", "makefile", "Makefile"),
                targets=BUILT,
            ),
        ),
        (
            "make -j 4",
            "",
            TaskLines(
                "",
                "sh build.sh",
                ("local.mk",),
                ("GNUmakefile", "makefile", "Makefile"),
                targets=BUILT,
            ),
        ),
        ("make -C web -f rules.mk", "", TaskLines("web", sources=("web/rules.mk",))),
        (
            "just check",
            "",
            TaskLines(
                "", "sh build.sh\n./verify", ("more.just",), ("justfile", ".justfile", "Justfile")
            ),
        ),
        ("gulp", "lib", TaskLines("lib")),
        ("nox -s test", "", TaskLines("", "python run.py --all", sources=("noxfile.py",))),
        ("tox", "", TaskLines("", "pytest {posargs}\npython run.py", sources=("tox.ini",))),
        (
            "task check",
            "",
            TaskLines(
                "",
                "python run.py\nsh a.sh",
                sources=(
                    *("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"),
                    "Taskfile.dist.yml",
                ),
            ),
        ),
        (
            "rake test",
            "",
            TaskLines(
                "",
                "ruby run.rb",
                sources=("Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"),
            ),
        ),
    ],
)
def test_a_task_has_these_lines(words: str, folder: str, task: TaskLines) -> None:
    assert read_task(words.split(), folder, lambda path: FILES.get(path, "")) == task


def test_a_command_that_make_runs_itself_is_one_of_the_shell() -> None:
    text = "W := $(shell cat want.txt)\ncheck:\n\ttest $$(./app) = $(W)\n"

    assert (
        read_task(["make", "check"], "", lambda _: text).text == "test $(./app) = $(cat want.txt)"
    )
