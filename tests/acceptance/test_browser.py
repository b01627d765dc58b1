"""A rehearsed agent looks at a page in a real Chromium, in a sandbox that has no other network."""

import json
from pathlib import Path

import pytest

from tests.acceptance.harness import (
    BUILD_IT,
    ONE_DELIVERABLE,
    PATH,
    CommandHarness,
    Finished,
    assert_sound,
    script,
)
from tests.architecture.repository import ROOT
from tests.missing import missing
from treadle.adapters.browser.browser_choice import Browser, NoBrowser
from treadle.settings.environment import parse_environment
from treadle.wiring.browser import find_browser

# Where `make setup` puts it; not on the PATH of other tests, since it takes its time to start.
PLAYWRIGHT = ROOT / ".venv/playwright/node_modules/.bin"
PINNED = ROOT / "tests/playwright/package-lock.json"

SERVING = "python3 -m http.server 8123 --bind 127.0.0.1"
LOOKS_AT_ITS_PAGE = """
  - role: implementer
    turns:
      - tool: Write
        input: {file_path: index.html, content: "<title>Shop</title><h1>Two lamps</h1>"}
      - tool: Bash
        input: {command: "SERVING > /tmp/serving.log 2>&1 &"}
      - tool: Bash
        input:
          command: |
            python3 -c 'import socket, time
            while socket.socket().connect_ex(("127.0.0.1", 8123)): time.sleep(0.05)'
      - tool: mcp__playwright__browser_navigate
        input: {url: "http://127.0.0.1:8123/"}
      - tool: mcp__playwright__browser_snapshot
        input: {}
      - tool: mcp__playwright__browser_verify_text_visible
        input: {text: Two lamps}
      - tool: mcp__playwright__browser_verify_text_visible
        input: {text: Three lamps}
      - tool: mcp__playwright__browser_take_screenshot
        input: {}
      - tool: mcp__playwright__browser_navigate
        input: {url: "http://example.com/"}
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-001, status: passed}
      - text: Looked at it.
""".replace("SERVING", SERVING)

# Each use of the browser in there: what its result has in it, and whether that is an error.
SEEN = [
    ("browser_navigate", "Page Title: Shop", False),
    ("browser_snapshot", '- heading "Two lamps" [level=1]', False),
    ("browser_verify_text_visible", "Done", False),
    ("browser_verify_text_visible", "Text not found", True),
    ("browser_take_screenshot", "[image]", False),
    ("browser_navigate", "ERR_INTERNET_DISCONNECTED", True),
]


class BrowserHarness(CommandHarness):
    """The harness of a user who has installed Playwright MCP."""

    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, "PATH": f"{PLAYWRIGHT}:{PATH}"}


@pytest.fixture
def browser_harness(tmp_path: Path) -> BrowserHarness:
    harness = BrowserHarness(tmp_path)
    found = find_browser(parse_environment(harness.environment), harness.project)
    if isinstance(found, NoBrowser):
        missing(f"{found.missing}: `make setup` installs it, for root")
    return harness


@pytest.fixture
def plain_harness(tmp_path: Path) -> CommandHarness:
    harness = CommandHarness(tmp_path)
    if isinstance(find_browser(parse_environment(harness.environment), harness.project), Browser):
        pytest.skip("every user of this machine has a browser")
    return harness


def uses_of_the_browser(finished: Finished) -> list[tuple[str, str, bool]]:
    results = {event["id"]: event for event in finished.of_type("tool.finished")}
    return [
        (use["name"].removeprefix("mcp__playwright__"), result["output"], result["is_error"])
        for use in finished.of_type("tool.called")
        if use["name"].startswith("mcp__playwright__") and (result := results[use["id"]])
    ]


def messages(finished: Finished) -> list[str]:
    """Warnings about the browser."""
    warned = [event["message"] for event in finished.of_type("run.warned")]
    return [message for message in warned if "browser" in message]


def test_an_agent_verifies_a_page_that_only_its_sandbox_serves(
    browser_harness: BrowserHarness,
) -> None:
    finished = browser_harness.deliver(script(ONE_DELIVERABLE, LOOKS_AT_ITS_PAGE))

    assert (finished.exit_code, finished.events[0]["sandbox"]) == (0, "sandboxed")
    uses = uses_of_the_browser(finished)
    assert [
        (name, part, is_error)
        for (name, output, is_error), (_, part, _) in zip(uses, SEEN, strict=True)
        if part in output
    ] == SEEN
    assert messages(finished) == []
    # The browser ends with its session, and is nothing that the agent left behind.
    assert [event["command"] for event in finished.of_type("process.ended")] == [SERVING]
    # Its pictures are kept with the run, and are in no commit.
    run = browser_harness.root / "runs" / finished.events[0]["run"]
    assert len(list((run / "home/tmp/playwright").glob("*.png"))) == 1
    assert browser_harness.git("ls-files").split() == ["SPEC.md", "index.html"]
    assert_sound(browser_harness, finished)


def test_an_empty_table_of_servers_leaves_no_browser(browser_harness: BrowserHarness) -> None:
    finished = browser_harness.deliver(
        script(ONE_DELIVERABLE, BUILD_IT), settings={"mcp_servers": "{}"}
    )

    assert finished.exit_code == 0
    tools = {tool for event in finished.of_type("agent.started") for tool in event["tools"]}
    assert [tool for tool in tools if "playwright" in tool] == []
    assert messages(finished) == []


def test_without_a_browser_a_run_on_a_project_with_pages_says_so_once(
    plain_harness: CommandHarness,
) -> None:
    (plain_harness.project / "public").mkdir()
    (plain_harness.project / "public/index.html").write_text("<h1>A page</h1>")
    plain_harness.git("add", "-A")
    plain_harness.git("commit", "-qm", "A page")

    finished = plain_harness.deliver(script(ONE_DELIVERABLE, BUILD_IT))

    assert finished.exit_code == 0
    assert messages(finished) == [
        "no browser for the agent: Playwright MCP is not installed (npm install -g @playwright/mcp)"
    ]


def test_the_doctor_starts_the_parts_of_the_browser(browser_harness: BrowserHarness) -> None:
    pinned = json.loads(PINNED.read_text())["packages"]["node_modules/@playwright/mcp"]["version"]

    (line,) = [
        line for line in browser_harness.treadle("doctor").stdout.splitlines() if "browser" in line
    ]

    assert line.startswith(f"✔ browser   Playwright MCP {pinned} with ")


def test_the_doctor_says_how_to_get_a_browser(plain_harness: CommandHarness) -> None:
    said = plain_harness.treadle("doctor").stdout

    assert "browser   none for the agent: Playwright MCP is not installed" in said
    assert "npm install -g @playwright/mcp" in said


def test_what_the_tests_install_is_pinned_by_hash_and_names_no_registry() -> None:
    locked = json.loads(PINNED.read_text())["packages"]
    packages = {name: each for name, each in locked.items() if name}

    assert [name for name, each in packages.items() if "integrity" not in each] == []
    assert [name for name, each in packages.items() if "resolved" in each] == []
