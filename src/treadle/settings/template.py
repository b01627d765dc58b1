"""The commented `treadle.toml` that `init` writes: every key with its help. Pure."""

from collections.abc import Mapping
from textwrap import wrap

from treadle.settings.definitions import VERSION
from treadle.settings.edit import SCHEMA_LINE, commented, update
from treadle.settings.keys import Kind, SettingKey, known_keys, sections

SCHEMA_PATH = ".treadle/treadle.schema.json"
_WIDTH = 96

_HEAD = """\
# How Treadle works on this project. A key behind a # shows its default: remove the # to change it.
# Every key can also be given by a variable, such as TREADLE_LIMITS__MAX_COST_USD=5, and many by
# an option of the command. `treadle config show` tells what is in force, and why."""

_EXAMPLES: dict[Kind, str] = {
    "tables": """\
# [mcp_servers.browser]
# command = "npx"
# args = ["@playwright/mcp", "--headless", "--isolated"]""",
    "prices": """\
# [prices.claude-opus-5-5]
# input = 4
# output = 20
# cache_write = 5
# cache_read = 0.2""",
}


def render_template(values: Mapping[str, object]) -> str:
    """The whole file, with these dotted keys set and all others commented out."""
    blocks = [f"{SCHEMA_LINE} {SCHEMA_PATH}\n{_HEAD}"]
    blocks += [
        _key_text(key) for key in known_keys().values() if not key.section and _is_plain(key)
    ]
    blocks += [_section_text(name, cls.__doc__ or "") for name, cls in sections().items()]
    blocks += [
        "\n".join([*_comment(key.help), _EXAMPLES[key.kind]])
        for key in known_keys().values()
        if not _is_plain(key)
    ]
    return update("\n\n".join(blocks) + "\n", values)


def _section_text(name: str, text: str) -> str:
    keys = (key for key in known_keys().values() if key.section == name)
    body = "\n\n".join(_key_text(key) for key in keys)
    return "\n".join([*_comment(text), f"[{name}]", body])


def _key_text(key: SettingKey) -> str:
    line = f"{key.leaf} = {VERSION}" if key.name == "version" else commented(key)
    return "\n".join([*_comment(key.help), line])


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in wrap(" ".join(text.split()), _WIDTH)]


def _is_plain(key: SettingKey) -> bool:
    return key.kind not in _EXAMPLES
