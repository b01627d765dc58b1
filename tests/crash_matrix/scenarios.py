"""The small runs that are cut: each with a script of its own, and what is there before it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.acceptance.harness import (
    BUILD_IT,
    ONE_DELIVERABLE,
    TWO_DELIVERABLES,
    CommandHarness,
    script,
)

# Ends a session, and is no failure of the service.
TOO_LARGE = "{error: {status: 413}}"
# Overloaded, and says so in a way that the agent does not try again by itself.
GIVE_UP = '{error: {status: 529, headers: {x-should-retry: "false"}}}'

PLAN_MORE = """
  - role: initializer
    turns:
      - tool: mcp__treadle__create_deliverable
        input:
          deliverables:
            - {id: DL-002, description: A farewell, acceptanceCriteria: [bye.txt says bye]}
      - text: Written down.
"""

BUILD_THE_SECOND = """
  - role: implementer
    turns:
      - tool: Write
        input: {file_path: bye.txt, content: "bye\\n"}
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-002, status: passed}
      - text: Built and checked.
"""

COMMIT_IT = BUILD_IT.replace(
    "      - tool: mcp__",
    "      - tool: Bash\n"
    "        input: {command: git add hello.txt && git commit -qm 'Greet the reader'}\n"
    "      - tool: mcp__",
)

# Commits, and commits again in its place.
AMEND_IT = COMMIT_IT.replace(
    "'Greet the reader'}", "'Greet' && git commit -q --amend -m 'Greet the reader'}"
)

DESTROY_IT = BUILD_IT.replace(
    "      - text: Built and checked.",
    "      - tool: Write\n"
    "        input:\n"
    "          file_path: tidy.py\n"
    "          content: |\n"
    "            import os, shutil\n"
    "            for name in os.listdir():\n"
    "                shutil.rmtree(name, ignore_errors=True)\n"
    "                if os.path.isfile(name):\n"
    "                    os.unlink(name)\n"
    "      - tool: Bash\n"
    "        input: {command: python3 tidy.py}\n"
    "      - text: Tidied up.",
)

CHECKED_DELIVERABLE = ONE_DELIVERABLE.replace(
    "acceptanceCriteria: [hello.txt says hello]",
    "acceptanceCriteria: [{text: hello.txt says hello, check: grep -qx hello hello.txt}]",
)
CLAIM_TOO_MUCH = BUILD_IT.replace('content: "hello', 'content: "helo')

OPTIONAL = "  - optional: true\n    role"

FAILING = f"  - role: implementer\n    turns:\n      - {GIVE_UP}\n"
SPENT = "  - role: implementer\n    turns:\n      - {quota: {resets_in: 5}}\n"
SPENT_FOR_LONGER = SPENT.replace("5", "20")


# One that was cut after its last words is asked to go on, and has nothing to add.
NOTHING_TO_ADD = "      - {text: That was all., optional: true}\n"


def rehearse(*sessions: str, auth: str = "api_key") -> str:
    """A script whose sessions may be resumed after their end."""
    return script(*(f"{session}{NOTHING_TO_ADD}" for session in sessions), auth=auth)


def nothing(harness: CommandHarness) -> None:
    """The checkout is clean and nobody has worked here before."""


def unfinished_edits(harness: CommandHarness) -> None:
    """Changes that the user has neither committed nor, in part, told git of."""
    (harness.project / "SPEC.md").write_text("# A greeting\n\nhello.txt says hello to you.\n")
    (harness.project / "draft.txt").write_text("mine\n")
    harness.git("add", "SPEC.md")


def work_on_a_branch(harness: CommandHarness) -> None:
    """An earlier run built the first of two deliverables, and nobody has landed it."""
    finished = harness.deliver(script(TWO_DELIVERABLES, BUILD_IT), "-n", "2")
    assert finished.exit_code == 5, finished.stderr


def work_that_is_gone(harness: CommandHarness) -> None:
    """The same, and the user has thrown that work away."""
    work_on_a_branch(harness)
    branch = harness.git("for-each-ref", "--format=%(refname:short)", "refs/heads/treadle")
    harness.git("branch", "-q", "-D", branch)


def another_specification(harness: CommandHarness) -> None:
    """An earlier run did all there was to do; since then the user wants more."""
    finished = harness.deliver(script(ONE_DELIVERABLE, BUILD_IT))
    assert finished.exit_code == 0, finished.stderr
    (harness.project / "SPEC.md").write_text("# A greeting\n\nhello.txt and bye.txt.\n")
    harness.git("commit", "-q", "-a", "-m", "A farewell, too")


@dataclass(frozen=True, slots=True)
class Scenario:
    """A script, the settings and options that go with it, and what was there before."""

    script: str
    before: Callable[[CommandHarness], None] = nothing
    settings: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()


SCENARIOS: Mapping[str, Scenario] = {
    "one deliverable": Scenario(rehearse(ONE_DELIVERABLE, BUILD_IT)),
    "uncommitted changes": Scenario(rehearse(ONE_DELIVERABLE, BUILD_IT), unfinished_edits),
    "agent commits": Scenario(rehearse(ONE_DELIVERABLE, COMMIT_IT)),
    "agent drops a commit": Scenario(rehearse(ONE_DELIVERABLE, AMEND_IT)),
    # In a sandbox a session cannot delete all of it.
    "work destroyed": Scenario(
        rehearse(ONE_DELIVERABLE, DESTROY_IT, BUILD_IT), options=("--no-sandbox",)
    ),
    # A claim that is refused, another that holds: each is shown, then all of it once more.
    "checked work": Scenario(
        rehearse(CHECKED_DELIVERABLE, CLAIM_TOO_MUCH, BUILD_IT),
        settings={"project.test": '"python3 -m unittest -v"'},
    ),
    "checked slowly": Scenario(
        rehearse(CHECKED_DELIVERABLE, CLAIM_TOO_MUCH, BUILD_IT),
        settings={"project.test": '"sleep 3 && python3 -m unittest -v"'},
    ),
    "quota spent": Scenario(
        rehearse(ONE_DELIVERABLE, SPENT, BUILD_IT, auth="subscription"),
        options=("--wait-for-quota",),
    ),
    "quota spent for longer": Scenario(
        rehearse(ONE_DELIVERABLE, SPENT_FOR_LONGER, BUILD_IT, auth="subscription"),
        options=("--wait-for-quota",),
    ),
    "session fails": Scenario(
        rehearse(ONE_DELIVERABLE, FAILING.replace(GIVE_UP, TOO_LARGE), BUILD_IT),
        settings={"deliver.backoff_s": "3"},
    ),
    "service fails": Scenario(
        rehearse(ONE_DELIVERABLE, FAILING, BUILD_IT), settings={"deliver.backoff_s": "3"}
    ),
    "earlier work": Scenario(rehearse(BUILD_THE_SECOND), work_on_a_branch),
    "earlier work gone": Scenario(rehearse(BUILD_IT, BUILD_THE_SECOND), work_that_is_gone),
    "new specification": Scenario(rehearse(PLAN_MORE, BUILD_THE_SECOND), another_specification),
    "limit reached": Scenario(
        # The first process ends before the last session.
        rehearse(TWO_DELIVERABLES, BUILD_IT, BUILD_THE_SECOND.replace("  - role", OPTIONAL)),
        settings={"limits.max_iterations": "2"},
    ),
    "landing asked": Scenario(rehearse(ONE_DELIVERABLE, BUILD_IT), settings={"land": '"ask"'}),
}
