"""What each session of `deliver` is given: instruction, facts, state, context, model and tools."""

import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from tests.builders import SESSION_LIMITS, deliverable
from tests.unit.workflows.run_harness import (
    ADA,
    RunHarness,
    created,
    ending,
    make_run_harness,
    turned,
)
from tests.unit.workspace.real_git import Repository, repository_in
from treadle.domain.agent import Allow, Deny, ToolUse
from treadle.domain.errors import ProjectError
from treadle.domain.events.agent import ToolDecided
from treadle.domain.events.session import PromptSent
from treadle.workflows.loop.instructions import (
    MAX_CONTEXT,
    UnusableContext,
    project_context,
)
from treadle.workflows.loop.session_conditions import SessionConditions, conditions_text
from treadle.workspace.project import find_project

CONDITIONS = conditions_text(SessionConditions("sandboxed", "gateway"), "run")
FACTS = (
    "## This project\n\n"
    "- Specification: `SPEC.md`\n"
    "- Hand-over notes between sessions: `.treadle-notes.md` (yours to read and to update)\n"
)


@pytest.fixture
def harness(tmp_path: Path) -> RunHarness:
    return make_run_harness(tmp_path)


def shipped(name: str) -> str:
    return (files("treadle.workflows") / "deliver" / "prompts" / f"{name}.md").read_text().rstrip()


async def test_the_first_session_plans_and_the_others_code_from_the_state_of_the_work(
    harness: RunHarness,
) -> None:
    harness.sessions = [
        [created("DL-1", "DL-2"), turned("DL-2", "blocked"), ending()],
        [turned("DL-1", "passed"), ending()],
    ]

    await harness.execute()

    state = [
        {
            "id": name,
            "description": f"What {name} is about",
            "acceptanceCriteria": [f"{name} can be seen"],
            "status": status,
        }
        for name, status in (("DL-1", "pending"), ("DL-2", "blocked"))
    ]
    prompts = [
        f"{shipped('initializer')}\n\n{FACTS}",
        f"{shipped('coding')}\n\n{FACTS}\n"
        "## Deliverables as they stand\n\n"
        f"```json\n{json.dumps(state, indent=1)}\n```\n",
    ]
    assert [brief.prompt for brief in harness.agent.briefs] == prompts
    assert harness.of_type(PromptSent) == [PromptSent(prompt) for prompt in prompts]


async def test_a_session_has_the_model_and_the_limits_of_its_role(harness: RunHarness) -> None:
    harness.sessions = [[created("DL-1"), ending()], [turned("DL-1", "passed"), ending()]]

    await harness.execute()

    first, second = harness.agent.briefs
    assert (first.role, first.model) == ("initializer", "opus")
    assert (second.role, second.model) == ("implementer", "sonnet")
    for brief in (first, second):
        assert (brief.workspace, brief.home, brief.identity) == (
            harness.workspace,
            harness.directory / "agent-home",
            ADA,
        )
        assert (brief.max_turns, brief.max_cost_usd, brief.resume) == (
            SESSION_LIMITS.max_turns,
            SESSION_LIMITS.max_cost_usd,
            False,
        )
        assert [tool.name for tool in brief.tools] == [
            "create_deliverable",
            "add_check",
            "set_deliverable_status",
            "list_deliverables",
            "signal",
        ]


async def test_the_prompt_names_the_commands_of_the_project(harness: RunHarness) -> None:
    harness.facts = replace(harness.facts, setup="make setup", test="make test")
    harness.plan(deliverable("DL-1"))
    harness.sessions = [[turned("DL-1", "passed"), ending()]]

    await harness.execute()

    told = f"{FACTS}- Setup command: `make setup`\n- Test command: `make test`\n\n## Deliverables"
    assert told in harness.agent.briefs[0].prompt


async def test_a_projects_own_instructions_come_in_place_of_the_shipped_ones(
    harness: RunHarness,
) -> None:
    harness.user.write(".treadle/instructions/initializer.md", "Plan in verse.\n")
    harness.sessions = [[created("DL-1"), ending()], [turned("DL-1", "passed"), ending()]]

    await harness.execute()

    first, second = (brief.prompt for brief in harness.agent.briefs)
    assert first == f"Plan in verse.\n\n{FACTS}"
    assert second.startswith(shipped("coding"))


@pytest.mark.parametrize("kind", ["directory", "no text"])
async def test_an_override_that_cannot_be_read_is_one_clear_line(
    harness: RunHarness, kind: str
) -> None:
    path = harness.user.path / ".treadle" / "instructions" / "initializer.md"
    path.parent.mkdir(parents=True)
    if kind == "directory":
        path.mkdir()
    else:
        path.write_bytes(b"\xff\xfe")

    with pytest.raises(ProjectError) as caught:
        await harness.execute()

    assert caught.value.message.startswith(f"cannot read {path}: ")
    assert caught.value.hint == "fix or remove the override"


async def test_claude_md_is_passed_as_context_as_the_user_wrote_it(tmp_path: Path) -> None:
    harness = make_run_harness(tmp_path, **{"CLAUDE.md": "Use tabs.\n"})
    harness.sessions = [
        [created("DL-1"), harness.wrote("CLAUDE.md", "Use spaces.\n"), ending()],
        [turned("DL-1", "passed"), ending()],
    ]

    await harness.execute()

    assert [brief.context for brief in harness.agent.briefs] == [
        f"{CONDITIONS}\n# The project's own instructions (CLAUDE.md)\n\nUse tabs.\n",
    ] * 2
    assert "Use tabs" not in harness.agent.briefs[0].prompt
    branch = harness.user.git("for-each-ref", "--format=%(refname)", "refs/heads/treadle")
    assert harness.user.git("show", f"{branch}:CLAUDE.md") == "Use spaces."


async def test_the_policy_of_the_role_decides_on_the_workspace(harness: RunHarness) -> None:
    harness.plan(deliverable("DL-1"))
    inside = ToolUse("1", "Write", {"file_path": str(harness.workspace / "a.py")})
    outside = ToolUse("2", "Write", {"file_path": str(harness.user.path / "a.py")})
    harness.sessions = [[inside, outside, turned("DL-1", "passed"), ending()]]

    await harness.execute()

    decided = [
        (e.id, e.decision)
        for e in harness.events
        if isinstance(e, ToolDecided) and e.name == "Write"
    ]
    assert decided == [("1", "allow"), ("2", "deny")]
    brief = harness.agent.briefs[0]
    assert isinstance(await brief.decide(inside), Allow)
    assert isinstance(await brief.decide(outside), Deny)


HEADING = "# The project's own instructions (CLAUDE.md)\n\n"


async def context_in(user: Repository) -> str | UnusableContext:
    """What a run gets that starts from the files as they are."""
    project = await find_project(user.path, user.environment)
    return await project_context(project.git, user.commit("Instructions"), "CLAUDE.md")


async def test_without_a_claude_md_there_is_no_context(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    nothing = await context_in(user)
    user.write("CLAUDE.md/file")

    assert (nothing, await context_in(user)) == ("", "")


async def test_a_long_claude_md_is_cut(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.write("CLAUDE.md", "x" * (MAX_CONTEXT + 1))

    assert await context_in(user) == HEADING + "x" * MAX_CONTEXT


async def test_a_claude_md_that_is_a_link_inside_the_project_is_read(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.write("docs/AGENTS.md", "Be kind.\n\n")
    (user.path / "docs/link").symlink_to("./AGENTS.md")
    (user.path / "CLAUDE.md").symlink_to("./docs/link")

    assert await context_in(user) == HEADING + "Be kind.\n\n"


@pytest.mark.parametrize("target", ["{outside}", "../secret", "docs/../../secret", ".git/config"])
async def test_a_claude_md_that_leads_out_of_the_project_is_not_read(
    tmp_path: Path, target: str
) -> None:
    user = repository_in(tmp_path)
    (tmp_path / "secret").write_text("the key")
    (user.path / "CLAUDE.md").symlink_to(target.format(outside=tmp_path / "secret"))

    assert await context_in(user) == UnusableContext(
        "it is a symbolic link that points outside the project"
    )


async def test_a_claude_md_that_is_a_link_to_itself_is_none(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    (user.path / "CLAUDE.md").symlink_to("CLAUDE.md")

    assert await context_in(user) == ""


async def test_a_claude_md_that_is_no_text_is_not_used(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    (user.path / "CLAUDE.md").write_bytes(b"\xff")

    assert await context_in(user) == UnusableContext(
        "it cannot be read ('utf-8' codec can't decode byte 0xff in position 0: invalid start byte)"
    )
