"""Scripts from files: the top of the language, and the only place that reads one from disk."""

from pathlib import Path

from treadle.domain.errors import UsageError
from treadle.domain.signal import Role
from treadle.rehearsal.nodes import Place, compose
from treadle.rehearsal.turn_language import times, turns
from treadle.rehearsal.turns import Auth, Script, SessionScript

__all__ = ["Script", "load_script", "parse_script"]

VERSION = 1


def load_script(path: Path) -> Script:
    """The script in a file, or a `UsageError` that names the line to correct."""
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
    """The script in a text; `source` is what errors call it."""
    root = compose(text, source=source)
    fields = root.fields(("version", "auth", "sessions"))
    if "version" not in fields:
        raise root.wrong(f"the script needs a version: write 'version: {VERSION}' first")
    if fields["version"].value() != VERSION:
        raise fields["version"].wrong(f"'version' must be {VERSION}")
    if "sessions" not in fields:
        raise root.wrong("the script needs 'sessions'")
    auth: Auth = fields["auth"].choice(Auth) if "auth" in fields else "api_key"
    entries = fields["sessions"].items("a session")
    return Script(_sessions(entries), auth, source)


def _sessions(entries: tuple[Place, ...]) -> tuple[SessionScript, ...]:
    found: list[SessionScript] = []
    for entry in entries:
        session = _session(entry)
        if any(_takes_all(earlier, session) for earlier in found):
            raise entry.wrong("this session is never reached: one before it repeats forever")
        found.append(session)
    return tuple(found)


def _takes_all(earlier: SessionScript, later: SessionScript) -> bool:
    return earlier.repeat is None and earlier.role in (None, later.role)


def _session(place: Place) -> SessionScript:
    fields = place.fields(("role", "name", "turns", "subagent", "repeat", "optional"))
    if "turns" not in fields:
        raise place.wrong("a session needs 'turns'")
    role: Role | None = fields["role"].choice(Role) if "role" in fields else None
    return SessionScript(
        turns=turns(fields["turns"]),
        role=role,
        name=fields["name"].words() if "name" in fields else "",
        subagent=turns(fields["subagent"]) if "subagent" in fields else (),
        repeat=times(fields["repeat"]) if "repeat" in fields else 1,
        optional=fields["optional"].flag() if "optional" in fields else False,
        line=place.line,
    )
