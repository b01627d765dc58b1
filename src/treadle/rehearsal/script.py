"""Loads and parses rehearsal scripts; the only module here that reads them from disk."""

from pathlib import Path

from treadle.domain.errors import UsageError
from treadle.domain.signal import Role
from treadle.rehearsal.turn_parser import parse_repeat, parse_turns
from treadle.rehearsal.turns import Auth, Script, SessionScript
from treadle.rehearsal.yaml_nodes import YamlNode, parse_yaml

__all__ = ["Script", "load_script", "parse_script"]

VERSION = 1


def load_script(path: Path) -> Script:
    """Load a script; an error is a `UsageError` that names the line."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot read the script {path}: {error.strerror}", hint="check the path"
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"the script {path} is not UTF-8 text", hint="save it as UTF-8") from error
    return parse_script(text, source=path.name)


def parse_script(text: str, *, source: str) -> Script:
    """Parse a script; errors call it `source`."""
    root = parse_yaml(text, source=source)
    fields = root.fields(("version", "auth", "sessions"))
    if "version" not in fields:
        raise root.error(f"the script needs a version: write 'version: {VERSION}' first")
    if fields["version"].value() != VERSION:
        raise fields["version"].error(f"'version' must be {VERSION}")
    if "sessions" not in fields:
        raise root.error("the script needs 'sessions'")
    auth: Auth = fields["auth"].choice(Auth) if "auth" in fields else "api_key"
    entries = fields["sessions"].items("a session")
    return Script(_parse_sessions(entries), auth, source)


def _parse_sessions(entries: tuple[YamlNode, ...]) -> tuple[SessionScript, ...]:
    sessions: list[SessionScript] = []
    for entry in entries:
        session = _parse_session(entry)
        if any(_hides(earlier, session) for earlier in sessions):
            raise entry.error("this session is never reached: one before it repeats forever")
        sessions.append(session)
    return tuple(sessions)


def _hides(earlier: SessionScript, later: SessionScript) -> bool:
    return earlier.repeat is None and earlier.role in (None, later.role)


def _parse_session(node: YamlNode) -> SessionScript:
    fields = node.fields(("role", "name", "turns", "subagent", "repeat", "optional"))
    if "turns" not in fields:
        raise node.error("a session needs 'turns'")
    role: Role | None = fields["role"].choice(Role) if "role" in fields else None
    return SessionScript(
        turns=parse_turns(fields["turns"]),
        role=role,
        name=fields["name"].non_empty_text() if "name" in fields else "",
        subagent=parse_turns(fields["subagent"]) if "subagent" in fields else (),
        repeat=parse_repeat(fields["repeat"]) if "repeat" in fields else 1,
        optional=fields["optional"].flag() if "optional" in fields else False,
        line=node.line,
    )
