"""What protected files and git's own settings start is asked about, over real repositories."""

import json
from pathlib import Path

import pytest

from treadle.policy.tool_files import ToolFileSettings
from treadle.workspace.changed_tool_files import LandingRules, find_changed_tool_files
from treadle.workspace.project import find_project

from .real_git import Repository, repository_in

SOURCES = {
    "scripts/a.sh": "true\n",
    "scripts/b.sh": "true\n",
    "tools/strip.py": "import sys, json\nimport helper\n",
    "tools/helper.py": "pass\n",
    "tools/__init__.py": "",
    "my tools/f.sh": "cat\n",
    "src/app.py": "print(1)\n",
    "src/main.py": "print(1)\n",
    "README.md": "# Read\n",
    "package.json": "{}\n",
    "requirements.txt": "x\n",
    "pyproject.toml": "",
    "Makefile": "all:\n",
}


def settings_file(command: str) -> str:
    hook = {"hooks": [{"type": "command", "command": command}]}
    return json.dumps({"hooks": {"SessionStart": [hook]}})


async def asked(user: Repository, *changed: str, **variables: str) -> list[str]:
    """The files that landing asks about after a change of all of these."""
    before = user.head
    user.git("checkout", "--quiet", "-b", "work")
    for path in changed:
        user.write(path, "changed\n")
        user.git("add", "--force", "--", path)
    after = user.commit("Work")
    user.git("checkout", "--quiet", "-")
    project = await find_project(user.path, {**user.environment, **variables})
    rules = LandingRules(ToolFileSettings(), lambda _: False)
    found = await find_changed_tool_files(project, before, after, rules)
    return sorted(each.path for each in found if each.effect == "ask")


# A file that runs by itself, its text, and the file that it starts.
STARTED = [
    (".claude/settings.json", settings_file("sh scripts/a.sh"), "scripts/a.sh"),
    (".claude/settings.json", settings_file("$CLAUDE_PROJECT_DIR/scripts/a.sh"), "scripts/a.sh"),
    (".mcp.json", '{"mcpServers": {"d": {"args": ["tools/strip.py"]}}}', "tools/strip.py"),
    (".mcp.json", '{"mcpServers": {"d": {"args": ["-m", "tools.strip"]}}}', "tools/strip.py"),
    (".envrc", "source_env scripts/a.sh\n", "scripts/a.sh"),
    (".envrc", "PATH_add bin\n", "bin/ls"),
    (".envrc", 'export PATH="$PWD/bin:$PATH"\n', "bin/ls"),
    (".envrc", "use flake\n", "flake.nix"),
    (".envrc", "[ -f local.sh ] && . ./local.sh\n", "local.sh"),
    (".vscode/tasks.json", '{"command": "scripts/a.sh", "runOn": "folderOpen"}', "scripts/a.sh"),
    (".husky/pre-commit", "cd scripts\n./a.sh\n", "scripts/a.sh"),
    (".husky/pre-commit", '. "$(dirname "$0")/../scripts/a.sh"\n', "scripts/a.sh"),
    (".pre-commit-config.yaml", "- repo: local\n  entry: scripts/a.sh\n", "scripts/a.sh"),
    ("lefthook.yml", "pre-commit:\n  jobs:\n    - run: scripts/a.sh\n", "scripts/a.sh"),
    (".githooks/pre-push", "exec python3 tools/strip.py\n", "tools/helper.py"),
    (".githooks/pre-push", "exec python3 tools/strip.py\n", "tools/json.py"),
    (".zed/tasks.json", '[{"command": "./scripts/a.sh"}]', "scripts/a.sh"),
    ("web/.envrc", "source_env ../scripts/a.sh\n", "scripts/a.sh"),
]


# A script that names a folder, or puts a name together, and a file that it then starts.
UNNAMED = [
    ("run-parts hooks.d", "hooks.d/20-lint"),
    ("run-parts --regex '.*' hooks.d", "hooks.d/20-lint"),
    ('for hook in hooks.d/*; do\n  sh "$hook" || exit 1\ndone', "hooks.d/20-lint"),
    ("for x in $(ls hooks.d); do . hooks.d/$x; done", "hooks.d/20-lint"),
    ("find hooks.d -type f -exec sh {} \\;", "hooks.d/20-lint"),
    ("ls hooks.d/* | xargs -n 1 bash", "hooks.d/20-lint"),
    (". hooks.d/*.sh", "hooks.d/lint.sh"),
    ('exec "$(git rev-parse --show-toplevel)/hooks.d/$(basename "$0")"', "hooks.d/pre-commit"),
    ("name=${0##*/}\nsh hooks.d/$name.sh", "hooks.d/pre-commit.sh"),
    ("X=1 hooks.d/${1}-check", "hooks.d/a-check"),
    ("cd hooks.d && sh lint", "hooks.d/lint"),
    ("go run ./lint", "lint/main.go"),
    ("cd lint\npython3 -O lint", "lint/__main__.py"),
    ("cargo run -q --manifest-path lint/Cargo.toml", "lint/src/main.rs"),
    ("dotnet run --project lint", "lint/rules/Rule.cs"),
    ("ruby -Ilint -rrules -e 'check'", "lint/rules.rb"),
    ("#!/usr/bin/env python3\nfrom lint import rules\n", "lint/rules.py"),
    ("#!/usr/bin/python3\nfrom lint import (\n    rules,\n)\n", "lint/rules.py"),
    ('#!/usr/bin/env python3\nsys.path.append("lint")\nimport rules\n', "lint/rules.py"),
    ("PYTHONPATH=lint python3 -m rules", "lint/rules.py"),
]


@pytest.mark.parametrize(("text", "started"), UNNAMED)
async def test_what_a_hook_starts_without_naming_it_is_asked_about(
    tmp_path: Path, text: str, started: str
) -> None:
    user = repository_in(tmp_path)
    user.commit("Tools", **SOURCES)
    (user.git_dir / "hooks").mkdir(exist_ok=True)
    (user.git_dir / "hooks/pre-commit").write_text(text)

    assert await asked(user, started, "src/app.py", "lint.md", "hooks.d/readme.md") == [started]


async def test_a_setting_or_a_tool_that_starts_a_folder_asks_about_its_files(
    tmp_path: Path,
) -> None:
    user = repository_in(tmp_path)
    lefthook = "pre-commit:\n  jobs:\n    - run: run-parts a.d\n"
    settings = settings_file('for x in b.d/*; do sh "$x"; done')
    user.commit("Tools", **SOURCES, **{"lefthook.yml": lefthook, ".claude/settings.json": settings})
    user.git("config", "alias.check", "!run-parts c.d")

    changed = ("a.d/1", "b.d/1", "c.d/1")
    assert await asked(user, *changed, "src/app.py") == list(changed)


async def test_folders_that_linters_read_are_not_asked_about(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.commit("Tools", **SOURCES)
    (user.git_dir / "hooks").mkdir(exist_ok=True)
    (user.git_dir / "hooks/pre-commit").write_text(
        "#!/bin/sh\nruff check src/*.py && eslint src/**/*.js\ngo vet ./src/... && go test ./src\n"
        'for file in src/*.py; do black "$file"; done\n# run-parts src\nmake -C src lint\n'
    )

    assert await asked(user, "src/app.py", "src/main.py", "src/x.js", "src/x.go") == []


@pytest.mark.parametrize(("path", "text", "started"), STARTED)
async def test_what_a_file_that_runs_by_itself_starts_is_asked_about(
    tmp_path: Path, path: str, text: str, started: str
) -> None:
    user = repository_in(tmp_path)
    user.commit("Tools", **SOURCES, **{path: text})

    assert await asked(user, started, "src/app.py", "README.md", "package.json") == [started]


async def test_a_file_that_git_ignores_is_read_too(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.commit("Tools", **SOURCES, **{".gitignore": ".envrc\n.claude/\n"})
    user.write(".envrc", ". scripts/a.sh\n")
    user.write(".claude/settings.local.json", settings_file("scripts/b.sh"))

    assert await asked(user, "scripts/a.sh", "scripts/b.sh", "src/app.py") == [
        "scripts/a.sh",
        "scripts/b.sh",
    ]


async def test_hooks_of_git_are_read_wherever_they_are(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.commit("Tools", **SOURCES, **{"scripts/c.sh": "true\n", "scripts/d.sh": "true\n"})
    folder = user.git_dir / "hooks"
    folder.mkdir(exist_ok=True)
    (folder / "pre-commit").symlink_to("../../scripts/a.sh")
    (folder / "post-commit").write_text("#!/bin/sh\n. scripts/b.sh\n")
    (folder / "pre-push.sample").write_text("exec scripts/d.sh\n")
    outside = tmp_path / "hooks"
    outside.mkdir()
    (outside / "commit-msg").write_text("exec scripts/c.sh\n")
    user.git("config", "--global", "core.hooksPath", str(outside))

    changed = [f"scripts/{name}.sh" for name in "abcd"]
    assert await asked(user, *changed) == changed[:3]


SETTINGS = [
    ("filter.a.clean", '"$(git rev-parse --show-toplevel)/scripts/a.sh"', "scripts/a.sh"),
    ("diff.external", '"$(git rev-parse --show-toplevel)"/scripts/a.sh', "scripts/a.sh"),
    ("filter.c.clean", "${PWD}/scripts/a.sh", "scripts/a.sh"),
    ("filter.m.clean", "python3 -mtools.strip", "tools/strip.py"),
    ("filter.m.clean", "python3 -mtools.strip", "tools/helper.py"),
    ("filter.m.clean", "python3 tools/strip.py", "tools/json.py"),
    ("filter.f.clean", "'my tools/f.sh'", "my tools/f.sh"),
    ("alias.st", "!f() { $GIT_PREFIX./scripts/a.sh; }; f", "scripts/a.sh"),
    ("core.pager", "sh -c '. scripts/a.sh'", "scripts/a.sh"),
    ("core.editor", "cd scripts && a.sh", "scripts/a.sh"),
]


@pytest.mark.parametrize(("key", "value", "started"), SETTINGS)
async def test_what_a_setting_of_git_starts_is_asked_about_however_it_is_written(
    tmp_path: Path, key: str, value: str, started: str
) -> None:
    user = repository_in(tmp_path)
    user.commit("Tools", **SOURCES)
    user.git("config", key, value)

    assert await asked(user, started, "src/app.py") == [started]


LINKS = [
    (".claude/settings.json", "../.ai/settings.json", ".ai/settings.json"),
    (".npmrc", "etc/npmrc", "etc/npmrc"),
    (".vscode", "etc/vscode", "etc/vscode/tasks.json"),
    (".envrc", "envrc.common", "envrc.common"),
    (".cursor", "ai", "ai/mcp.json"),
]


@pytest.mark.parametrize(("link", "target", "changed"), LINKS)
async def test_what_the_users_own_links_lead_to_has_the_rule_of_the_link(
    tmp_path: Path, link: str, target: str, changed: str
) -> None:
    user = repository_in(tmp_path)
    user.write(changed, "{}\n")
    (user.path / link).parent.mkdir(exist_ok=True)
    (user.path / link).symlink_to(target)
    user.commit("Links", **SOURCES)

    assert await asked(user, changed, "src/app.py") == [changed]


async def test_folders_of_the_users_search_paths_are_asked_about(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.commit("Tools", **SOURCES, **{"bin/tool": "true\n", "lib/known.py": "pass\n"})
    root = user.path
    variables = {
        "PATH": f"{root}/bin:./more:{user.environment['PATH']}",
        "PYTHONPATH": f"{root}/lib",
        "NODE_PATH": f"{root}/js",
    }
    changed = ["bin/ls", "bin/tool", "bin/deep/x", "more/git", "lib/click.py", "lib/known.py"]
    further = ["lib/attr/__init__.py", "js/chalk/index.js", "src/app.py", "bin/README.md"]

    assert await asked(user, *changed, *further, **variables) == [
        *("bin/ls", "bin/tool", "js/chalk/index.js", "lib/attr/__init__.py", "lib/click.py"),
        "more/git",
    ]


async def test_a_new_module_at_the_top_that_shadows_pythons_own_is_asked_about(
    tmp_path: Path,
) -> None:
    user = repository_in(tmp_path)
    user.commit("Files", **SOURCES)

    changed = ["readline.py", "json/__init__.py", "newmodule.py", "src/json.py", "test/__init__.py"]
    assert await asked(user, *changed) == ["json/__init__.py", "readline.py"]


async def test_ordinary_settings_make_ordinary_work_no_question(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    permissions = {"allow": ["Bash(sh scripts/a.sh:*)", "Read(./src/app.py)"]}
    user.commit(
        "An ordinary project",
        **SOURCES,
        **{
            ".claude/settings.json": json.dumps({"permissions": permissions}),
            ".claude/commands/fix.md": "Read src/app.py, then run scripts/a.sh.\n",
            ".vscode/launch.json": '{"program": "${workspaceFolder}/src/app.py"}',
            ".vscode/tasks.json": '{"tasks": [{"command": "scripts/a.sh"}]}',
            ".vscode/settings.json": '{"python.testing.pytestArgs": ["tests"], "x": "src"}',
            ".husky/pre-commit": "npx lint-staged\nnpm test\nmake check\n",
            ".pre-commit-config.yaml": "repos:\n- repo: https://example.com/psf/black\n"
            "  hooks:\n  - id: black\n    args: [--config, pyproject.toml]\n"
            "    exclude: src/app.py\n    files: ^src/\n",
            ".devcontainer/devcontainer.json": '{"postCreateCommand": '
            '"pip install -r requirements.txt && npm ci"}',
            ".npmrc": "fund=false\n",
            "treadle.toml": '[project]\ntest = "sh scripts/a.sh"\n',
            ".treadle/status.json": '{"checks": ["python src/app.py", "new.py"]}',
            "AGENTS.md": "Run scripts/a.sh. See src/app.py.\n",
        },
    )
    ordinary = [*SOURCES, "tests/test_app.py", "src/new.py", "scripts/new.sh", "tools/data.json"]

    assert await asked(user, *ordinary) == []
