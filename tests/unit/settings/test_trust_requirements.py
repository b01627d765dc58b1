"""A value of a file that needs trust counts only once trusted; flags and variables always count."""

from pathlib import Path

import pytest

from treadle.domain.errors import SettingsError
from treadle.gateway.request_rules import SERVER_TOOLS
from treadle.settings.load import resolve_settings
from treadle.settings.sandbox_definitions import SandboxSettings
from treadle.settings.trust_requirements import (
    EFFECTS,
    HINT,
    SERVED_TOOLS,
    find_trust_requirements,
    find_untrusted,
    fingerprint,
    require_trusted,
    sandbox_notice,
)

PROJECT = Path("/srv/calc")
NEEDS_TRUST = [
    'agent.binary = "./claude"',
    'sandbox.network = "allowlist"',
    'sandbox.network = "open"',
    'sandbox.hosts = ["example.com:443"]',
    'sandbox.readable = ["~/data"]',
    'sandbox.writable = ["~/data"]',
    'workspace.include = [".env"]',
    'workspace.include_for_agent = [".env.test"]',
    'allowed_tools = ["WebSearch"]',
    'permissions.allow = ["Bash(make *)", "WebSearch(python *)"]',
    'gateway.allow = ["dearer-2027-01-01"]',
    'land_name = ["**/.npmrc"]',
    'database.url = "postgresql://ada@example.com/runs"',
]
HARMLESS = """
agent.binary = ""
sandbox.network = "none"
sandbox.hosts = []
sandbox.readable = []
sandbox.writable = []
workspace.include = []
workspace.include_for_agent = []
gateway.allow = []
land_name = []
land_ask = [".codex"]
database.url = ""
allowed_tools = ["WebFetch", "mcp__browser__click"]
permissions.allow = ["WebFetch(https://example.com/*)", "Bash(WebSearch *)"]
project.setup = "make"
"""


@pytest.mark.parametrize("line", NEEDS_TRUST)
def test_a_value_that_needs_trust_must_be_trusted(line: str) -> None:
    key = line.partition(" ")[0]
    resolved = resolve_settings(f"# a stranger's\n{line}\n")

    with pytest.raises(SettingsError) as caught:
        require_trusted(PROJECT, resolved, ())
    require_trusted(
        PROJECT,
        resolved,
        [fingerprint(PROJECT, each) for each in find_trust_requirements(resolved)],
    )

    assert (caught.value.message, caught.value.hint) == (
        f"treadle.toml:2: {key} needs your approval",
        HINT,
    )


def test_every_key_that_can_need_trust_is_tested_here() -> None:
    assert {line.partition(" ")[0] for line in NEEDS_TRUST} == set(EFFECTS)


@pytest.mark.parametrize("text", [None, "", HARMLESS, 'sandbox.network = "gateway"'])
def test_a_file_with_harmless_values_needs_no_trust(text: str | None) -> None:
    assert find_trust_requirements(resolve_settings(text)) == ()


def test_in_a_list_of_tools_only_served_tools_need_trust() -> None:
    text = (
        'allowed_tools = ["Task", "WebSearch"]\npermissions.allow = [" WebSearch(a *)", "Read"]\n'
    )

    assert [(each.key, each.text) for each in find_trust_requirements(resolve_settings(text))] == [
        ("allowed_tools", '["WebSearch"]'),
        ("permissions.allow", '[" WebSearch(a *)"]'),
    ]
    assert frozenset(SERVER_TOOLS) == SERVED_TOOLS


def test_flags_and_variables_need_no_trust_and_override_the_file() -> None:
    text = 'sandbox.network = "open"\nsandbox.writable = ["~/theirs"]\nagent.binary = "theirs"\n'
    variables = {"TREADLE_AGENT__BINARY": "mine", "TREADLE_SANDBOX__READABLE": '["~/mine"]'}
    flags = {"sandbox.writable": ["~/mine"], "sandbox.network": "open"}

    assert find_trust_requirements(resolve_settings(text, environment=variables, flags=flags)) == ()


@pytest.mark.parametrize(
    ("project", "text", "left"),
    [
        (PROJECT, 'sandbox.network = "open"\nsandbox.hosts = ["a:1", "b:2"]', []),
        (PROJECT, 'sandbox.hosts = ["a:1", "b:2"]', []),
        (PROJECT, 'sandbox.network = "allowlist"', ["sandbox.network"]),
        (PROJECT, 'sandbox.network = "open"\nsandbox.hosts = ["a:1"]', ["sandbox.hosts"]),
        (PROJECT, 'sandbox.readable = ["a:1", "b:2"]', ["sandbox.readable"]),
        (Path("/srv/other"), 'sandbox.network = "open"', ["sandbox.network"]),
    ],
)
def test_trust_covers_only_these_values_of_this_project(
    project: Path, text: str, left: list[str]
) -> None:
    shown = resolve_settings('sandbox.network = "open"\nsandbox.hosts = ["a:1", "b:2"]')
    trusted = [fingerprint(PROJECT, each) for each in find_trust_requirements(shown)]

    assert [each.key for each in find_untrusted(project, resolve_settings(text), trusted)] == left


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ('agent.binary = "a\\u001b[2Kb\\u202ec\\u009bd"', '"a\\u001b[2Kb\\u202ec\\u009bd"'),
        (
            'database.url = "postgresql://ada:hunter2@host/name"',
            '"postgresql://ada:***@host/name"',
        ),
        ('sandbox.writable = ["~/a", "/b"]', '["~/a", "/b"]'),
    ],
)
def test_a_value_is_shown_in_full_and_without_control_characters(line: str, shown: str) -> None:
    assert [each.text for each in find_trust_requirements(resolve_settings(line))] == [shown]


@pytest.mark.parametrize(
    ("sandbox", "told"),
    [
        (SandboxSettings(), ""),
        (SandboxSettings(network="allowlist"), ""),
        (SandboxSettings(network="gateway", hosts=("a.example:443",)), ""),
        (
            SandboxSettings(
                network="allowlist", hosts=("a.example:443", "b.example:80"), readable=("/r",)
            ),
            "the sandbox is opened: network to a.example:443, b.example:80; readable /r",
        ),
        (
            SandboxSettings(network="open", writable=("/x", "~/y")),
            "the sandbox is opened: network open; writable /x; writable ~/y",
        ),
    ],
)
def test_the_notice_of_a_run_lists_what_its_sandbox_opens(
    sandbox: SandboxSettings, told: str
) -> None:
    assert sandbox_notice(sandbox) == told


def test_trust_in_a_recording_is_none_in_a_program_of_that_name() -> None:
    recording = resolve_settings('agent.kind = "replay"\nagent.binary = "./demo.jsonl"')
    program = resolve_settings('agent.binary = "./demo.jsonl"')
    trusted = [fingerprint(PROJECT, each) for each in find_trust_requirements(recording)]

    assert find_untrusted(PROJECT, recording, trusted) == ()
    assert [each.key for each in find_untrusted(PROJECT, program, trusted)] == ["agent.binary"]
