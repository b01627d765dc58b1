"""Permission rules as people write them, and the uses they cover."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treadle.policy.permission_rules import PermissionRule, matches, parse_rule

WORKSPACE = "/srv/clone"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("WebSearch", PermissionRule("WebSearch", "**")),
        ("Bash(*)", PermissionRule("Bash", "*")),
        ("Bash(npm run *)", PermissionRule("Bash", "npm run *")),
        (" Read(./**) ", PermissionRule("Read", "./**")),
        (
            "WebFetch(https://api.example.com/*)",
            PermissionRule("WebFetch", "https://api.example.com/*"),
        ),
        ("Bash(echo (hi))", PermissionRule("Bash", "echo (hi)")),
        ("", None),
        ("Bash(", None),
        ("Bash()", None),
        ("Bash)x(", None),
        ("(npm *)", None),
        ("npm run build", None),
        ("9lives", None),
    ],
)
def test_a_rule_is_a_tool_with_or_without_a_pattern(text: str, rule: PermissionRule | None) -> None:
    assert parse_rule(text) == rule


@pytest.mark.parametrize(
    ("rule", "tool", "value", "covered"),
    [
        ("WebSearch", "WebSearch", "anything at all", True),
        ("WebSearch", "WebFetch", "anything at all", False),
        ("Read(./**)", "Read", "/srv/clone/src/a.py", True),
        ("Read(./**)", "Read", "/srv/clone", False),
        ("Read(./**)", "Read", "/srv/clone-of-another/a.py", False),
        ("Read(./**)", "Write", "/srv/clone/src/a.py", False),
        ("Read(./*.md)", "Read", "/srv/clone/README.md", True),
        ("Read(./*.md)", "Read", "/srv/clone/docs/README.md", False),
        ("Read(/data/**)", "Read", "/data/a/b.csv", True),
        ("Read(/data/**)", "Read", "/database/b.csv", False),
        ("Read(/data/**)", "Read", "/etc/passwd", False),
        ("Read(/data/*.csv)", "Read", "/data/a.csv", True),
        ("Read(/data/*.csv)", "Read", "/data/aXcsv", False),
        ("Read(/data/*/b.csv)", "Read", "/data/a/c/b.csv", False),
        ("Bash(*)", "Bash", "cat a/b | wc", True),
        ("Bash(npm run *)", "Bash", "npm run build -- a/b", True),
        ("Bash(npm run *)", "Bash", "npm install", False),
        ("Bash(npm run *)", "Bash", "cd x; npm run y", False),
        ("WebFetch(*)", "WebFetch", "https://example.com/a/b", True),
        ("WebFetch(https://api.example.com/*)", "WebFetch", "https://api.example.com/a/b", True),
        ("WebFetch(https://api.example.com/*)", "WebFetch", "https://api.example.com", False),
        (
            "WebFetch(https://api.example.com/*)",
            "WebFetch",
            "https://api.example.com.evil.example/a",
            False,
        ),
        ("Bash(git * --dry-run * main)", "Bash", "git push --dry-run a --dry-run b main", True),
        ("Bash(git * --dry-run * main)", "Bash", "git push --dry-run main", False),
        ("Bash(*a*b)", "Bash", "cab ab", True),
        ("Bash(*a**b*)", "Bash", "ba", False),
        ("Glob(./**)", "Glob", "/srv/clone/src", True),
        ("Grep(./**)", "Grep", "/srv/clone/src", True),
    ],
)
def test_a_star_stays_within_a_segment_of_a_path_and_crosses_anything_else(
    rule: str, tool: str, value: str, covered: bool
) -> None:
    parsed = parse_rule(rule)
    assert parsed is not None

    assert matches(parsed, tool, value, workspace=WORKSPACE) is covered


@pytest.mark.timeout(60)
def test_a_rule_of_many_stars_is_compared_with_a_long_command_in_a_moment() -> None:
    rule = PermissionRule("Bash", "git * a * b * c * d *")

    assert not matches(rule, "Bash", "git " + " a b c " * 50_000, workspace=WORKSPACE)


@settings(deadline=None)
@given(st.text(max_size=30), st.text(max_size=30))
def test_a_pattern_without_stars_covers_only_itself(pattern: str, value: str) -> None:
    plain = pattern.replace("*", "").removeprefix("./")
    rule = PermissionRule("Bash", plain)

    assert matches(rule, "Bash", plain, workspace=WORKSPACE)
    assert matches(rule, "Bash", value, workspace=WORKSPACE) is (value == plain)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_no_text_makes_the_parser_of_rules_fail(text: str) -> None:
    assert parse_rule(text) is None or "(" in text or text.strip().replace("-", "_").isidentifier()
