"""The lines that a task runner would run are read from the files of the base."""

import pytest

from treadle.verify.task_lines import TaskLines, read_task

FILES = {
    "package.json": '{"scripts": {"pretest": "sh pre.sh", "test": "node run.js", "lint": "x"}}',
    "web/package.json": '{"scripts": {"test": "jest"}}',
    "composer.json": '{"scripts": {"test": ["@lint", "phpunit"]}}',
    "deno.json": '{"tasks": {"test": "deno run a.ts"}}',
    "Makefile": "-include local.mk\nPY ?= python3\nall: build\n\nbuild:\n\tsh build.sh\n"
    "check: build ; echo checking\n\t@$(PY) verify.py \\\n\t  --all $@\n\n\t-rm $$TMP\n",
    "justfile": "import 'more.just'\ncheck n='x': build\n    ./verify\nbuild:\n    sh build.sh\n",
    "odd/package.json": "[",
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
            ),
        ),
        (
            "make -j 4",
            "",
            TaskLines("", "sh build.sh", ("local.mk",), ("GNUmakefile", "makefile", "Makefile")),
        ),
        ("make -C web -f rules.mk", "", TaskLines("web", sources=("web/rules.mk",))),
        (
            "just check",
            "",
            TaskLines(
                "", "sh build.sh\n./verify", ("more.just",), ("justfile", ".justfile", "Justfile")
            ),
        ),
        ("rake test", "lib", TaskLines("lib")),
    ],
)
def test_a_task_has_these_lines(words: str, folder: str, task: TaskLines) -> None:
    assert read_task(words.split(), folder, lambda path: FILES.get(path, "")) == task
