"""What becomes of files that tools obey by themselves: a table with a reason for each row."""

import pytest

from treadle.domain.check import FileChange
from treadle.domain.events.work import ToolFile, ToolFileEffect
from treadle.policy.started_files import StartedFiles
from treadle.policy.tool_file_rules import PROTECTED_NAMES, TOOL_FILE_RULES, ToolFileRule
from treadle.policy.tool_files import (
    IN_REPOSITORY,
    LEAVES_PROJECT,
    REPLACES_FOLDER,
    REPLACES_TOOL_FOLDER,
    ChangeFacts,
    ToolFileSettings,
    find_tool_files,
    leaves_project,
)

DEFAULT = ToolFileSettings()


def effect_of(path: str, settings: ToolFileSettings = DEFAULT) -> ToolFileEffect | None:
    found = settings.match(path)
    return found.effect if found else None


@pytest.mark.parametrize("rule", TOOL_FILE_RULES, ids=lambda rule: rule.why)
def test_a_rule_matches_its_examples_at_any_depth(rule: ToolFileRule) -> None:
    paths = [*rule.examples, *(f"packages/web/{path}" for path in rule.examples)]

    assert [effect_of(path) for path in paths] == [rule.effect] * len(paths)


# Further spellings that no rule has as its example.
SPELLINGS: list[tuple[str, ToolFileEffect]] = [
    (".Codex/config.toml", "withheld"),
    (".cursor/hooks/run.sh", "withheld"),
    (".clinerules/hooks/PreToolUse", "withheld"),
    ("opencode.jsonc", "withheld"),
    (".kiro/settings/mcp.json", "withheld"),
    (".amazonq/cli-agents/a.json", "withheld"),
    (".nvim.lua", "withheld"),
    ("x/.sublime-project", "withheld"),
    (".dir-locals-2.el", "withheld"),
    (".zed/settings.json", "withheld"),
    (".zsh\u200benv", "withheld"),
    (".rdata", "withheld"),
    (".pnpmfile.mjs", "ask"),
    (".cargo/config", "ask"),
    ("rust-toolchain.toml", "ask"),
    (".githooks/post-commit", "ask"),
    ("Directory.Build.targets", "ask"),
    ("lefthook-local.yml", "ask"),
    (".pnp.loader.mjs", "ask"),
    ("NuGet.Config", "ask"),
    ("CLAUDE.local.md", "named"),
    (".roo/rules/a.md", "named"),
    (".kiro/steering/product.md", "named"),
    (".github/instructions/a.instructions.md", "named"),
    ("AGENTS.override.md", "named"),
    *((name, "withheld") for name in ("codebuff.json", "gptme.toml", "conductor.json", ".rvmrc")),
    *((name, "withheld") for name in (".byebugrc", ".rdbgrc.rb", ".shadowenv.d/a.lisp")),
    *((name, "withheld") for name in (".factorypath", ".merlin", ".lsp/config.edn", ".p4config")),
    *((name, "ask") for name in ("hie.yaml", "buildServer.json", "rust-analyzer.toml")),
    *((name, "ask") for name in ("config.nims", "commitlint.config.mjs", ".gitlint")),
    *((name, "ask") for name in ("docker-compose.override.yml", "web/.bazelversion")),
    *((name, "ask") for name in ("gradle/gradle-daemon-jvm.properties", "profiles.clj")),
    *((name, "ask") for name in (".tool-versions", ".lintstagedrc.json", ".trunk/trunk.yaml")),
    ("pixi.toml", "named"),
]


@pytest.mark.parametrize(("path", "effect"), SPELLINGS)
def test_other_spellings_are_matched_too(path: str, effect: ToolFileEffect) -> None:
    assert effect_of(path) == effect


ORDINARY = [
    *(
        "README.md",
        "src/app.py",
        "docs/agents-guide.md",
        "Makefile",
        "package.json",
        ".editorconfig",
    ),
    *("build.gradle", "src/cursor/rules.py", "npmrc.md", "tests/test_gdbinit.py", "codex/main.rs"),
    *(".github/workflows/ci.yml", "lib/forge/a.py", "cargo/config.toml", "docs/claude.md.txt"),
]


@pytest.mark.parametrize("path", ORDINARY)
def test_an_ordinary_file_is_in_no_row(path: str) -> None:
    assert effect_of(path) is None


def test_every_row_says_what_the_file_can_do_and_no_name_is_in_two_of_them() -> None:
    names = [name for rule in TOOL_FILE_RULES for name in rule.names]

    assert [name for name in names if names.count(name) > 1 or name in PROTECTED_NAMES] == []
    assert [name for name in names if name != name.lower()] == []
    assert all(rule.why and rule.examples for rule in TOOL_FILE_RULES)


MOVES = [
    (ToolFileSettings(name=("**/.npmrc",)), "web/.npmrc", "named"),
    (ToolFileSettings(name=(".codex",)), ".codex/config.toml", "named"),
    (ToolFileSettings(ask=(".zed",)), ".zed/tasks.json", "ask"),
    (ToolFileSettings(ask=("CLAUDE.md",)), "CLAUDE.md", "ask"),
    (ToolFileSettings(withhold=("infra/**",)), "infra/main.tf", "withheld"),
    (ToolFileSettings(withhold=("**/.npmrc",), name=("**/.npmrc",)), ".npmrc", "withheld"),
    (ToolFileSettings(name=("web/.npmrc",)), "api/.npmrc", "ask"),
]


@pytest.mark.parametrize(("settings", "path", "effect"), MOVES)
def test_a_setting_moves_a_row(
    settings: ToolFileSettings, path: str, effect: ToolFileEffect
) -> None:
    assert effect_of(path, settings) == effect


LINKS = [
    ("CLAUDE.md", "/etc/passwd", True),
    ("docs/a", "../../outside", True),
    ("docs/a", "b/../../../x", True),
    # `up` may be a link to the top of the project.
    ("a", "docs/deep/up/../secret", True),
    ("a", "~/x", True),
    ("docs/hooks", "../.git/hooks", True),
    ("a", ".GIT/config", True),
    ("a", "c:\\x", True),
    ("docs/a", "../src/app.py", False),
    ("docs/deep/a", "./../../b", False),
    ("a", "b", False),
    ("a", ".gitignore", False),
]


@pytest.mark.parametrize(("path", "target", "leaves"), LINKS)
def test_a_link_out_of_the_project_or_into_git_is_recognised(
    path: str, target: str, *, leaves: bool
) -> None:
    assert leaves_project(path, target) is leaves


def test_what_is_asked_about_stands_before_what_is_only_named() -> None:
    changes = [
        FileChange("AGENTS.md", "changed"),
        FileChange("SPEC.md", "changed"),
        FileChange("app.py", "added"),
        FileChange("env", "added"),
        FileChange("inside", "added"),
        FileChange(".npmrc", "removed"),
        FileChange(".codex/config.toml", "added"),
    ]
    links = {"SPEC.md": "/etc/passwd", "env": "tools", "inside": "app.py"}

    found = find_tool_files(
        changes, DEFAULT, ChangeFacts(links, is_ignored_folder=lambda path: path == "env")
    )

    assert found == (
        ToolFile(
            ".codex/config.toml", "added", "ask", "a coding agent starts its servers and hooks"
        ),
        ToolFile("SPEC.md", "changed", "ask", LEAVES_PROJECT),
        ToolFile("env", "added", "ask", REPLACES_FOLDER),
        ToolFile(".npmrc", "removed", "ask", "a package manager loads it, and runs what it names"),
        ToolFile("AGENTS.md", "changed", "named", "coding agents follow it"),
    )


@pytest.mark.parametrize(
    "path", [".github", "web/.Cursor", ".kiro", ".yarn", "home/fish", ".continue"]
)
def test_a_link_in_place_of_a_folder_that_tools_obey_is_asked_about(path: str) -> None:
    changes = [FileChange(path, "added")]

    asked = ToolFile(path, "added", "ask", REPLACES_TOOL_FOLDER)
    facts = ChangeFacts({path: "inside"})
    assert find_tool_files(changes, DEFAULT, facts) == (asked,)
    allowed = ToolFileSettings(name=(path,))
    assert [each.effect for each in find_tool_files(changes, allowed, facts)] == ["named"]


def test_the_files_of_an_embedded_repository_are_asked_about() -> None:
    changes = [FileChange("lib/data/config", "added"), FileChange("lib/data/a/b.txt", "added")]

    found = find_tool_files(changes, DEFAULT, ChangeFacts(repositories={"lib/data"}))

    assert found == (ToolFile("lib/data/config", "added", "ask", IN_REPOSITORY),)


def test_twenty_harmless_files_do_not_hide_one_that_nobody_starts() -> None:
    many = [FileChange(f"a{number}/.npmrc", "added") for number in range(30)]
    started = StartedFiles({"zz/run.sh": ".husky/pre-commit starts it"})

    found = find_tool_files(
        [*many, FileChange("zz/run.sh", "changed")], DEFAULT, ChangeFacts(started=started)
    )

    assert found[0] == ToolFile("zz/run.sh", "changed", "ask", ".husky/pre-commit starts it")
    assert len(found) == 31
