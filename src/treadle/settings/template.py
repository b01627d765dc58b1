"""The short `treadle.toml` that `init` writes: the settings that most projects touch. Pure."""

from collections.abc import Mapping
from textwrap import wrap

from treadle.settings.definitions import VERSION
from treadle.settings.edit import SCHEMA_LINE, commented, update
from treadle.settings.keys import SettingKey, known_keys

SCHEMA_PATH = ".treadle/treadle.schema.json"
_WIDTH = 96

_HEAD = """\
# Settings of Treadle. A key behind a # shows its default.
# All settings: `treadle config show`, and the schema above in your editor."""

# By section; of the others only those with a value are written.
_SHOWN = {
    "project": ("spec", "setup", "check", "test"),
    "limits": ("max_cost_usd", "max_minutes", "max_iterations"),
    "verify": ("require",),
    "agent": ("model",),
}


def render_template(values: Mapping[str, object]) -> str:
    """The whole file, with these dotted keys set."""
    blocks = [f"{SCHEMA_LINE} {SCHEMA_PATH}\n{_HEAD}\nversion = {VERSION}"]
    for section, leaves in _SHOWN.items():
        keys = [known_keys()[f"{section}.{leaf}"] for leaf in leaves]
        blocks.append("\n".join([f"[{section}]", *map(_key_text, keys)]))
    return update("\n\n".join(blocks) + "\n", values)


def _key_text(key: SettingKey) -> str:
    help_lines = wrap(" ".join(key.help.split()), _WIDTH)
    return "\n".join([*(f"# {line}" for line in help_lines), commented(key)])
