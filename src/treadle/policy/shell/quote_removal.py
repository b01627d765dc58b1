"""Removes quotes and backslashes from words, as bash does. Pure."""

import re

from treadle.policy.shell.refusals import LineRefused
from treadle.policy.shell.syntax import Word

# Replaces a quoted character where only unquoted ones have a meaning.
QUOTED = "\0"

# Nothing in it is quoted, and bash puts nothing in its place.
_PLAIN = re.compile(r"[\w@%+=:,./-]*", re.ASCII)

_STATIC = re.compile(
    r"""(?P<bare>[^'"\\]+)|(?P<escape>\\.)|'(?P<single>[^']*)'|"(?P<double>(?:[^"\\]|\\.)*)\"""",
    re.DOTALL,
)
_ESCAPE = re.compile(
    r"\\(?:x(?P<hex>[0-9A-Fa-f]{1,2})|u(?P<short>[0-9A-Fa-f]{1,4})|U(?P<long>[0-9A-Fa-f]{1,8})"
    r"|(?P<octal>[0-7]{1,3})|(?P<sign>.))",
    re.DOTALL,
)
_SIGNS = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "?": "?"}
_IN_DOUBLE = re.compile(r'\\(?:\n|([$`"\\]))')
_IN_HERE_TEXT = re.compile(r"\\([$`\\])")
_BARE_ESCAPE = re.compile(r"\\(?:\n|(.))", re.DOTALL)
# Exit codes of the last pipeline: numbers, with a subscript that contains no code.
STATUS = re.compile(r"PIPESTATUS\[(?:[0-9]{1,3}|[@*])\]")
_GLOB = re.compile(r"[*?]|\[.")
# Braces without a list in them are nothing but braces, as in `HEAD@{1}`.
_NO_LIST = re.compile(r"\{(?:(?!\.\.)[^{},])*\}")
_TILDE = re.compile(r"(?:^|[=:])~")


def unquote_bare(raw: str) -> tuple[str, str]:
    """Text outside quotes: what it says, and the same with escaped characters masked."""
    masked = _BARE_ESCAPE.sub(lambda found: QUOTED if found[1] else "", raw)
    return _BARE_ESCAPE.sub(lambda found: found[1] or "", raw), masked


def unquote_double(raw: str) -> str:
    """What stands between double quotes."""
    return _IN_DOUBLE.sub(lambda found: found[1] or "", raw)


def unquote_heredoc(raw: str) -> str:
    """The text of a here-document whose mark is not quoted."""
    return _IN_HERE_TEXT.sub(r"\1", raw)


def unquote_ansi(raw: str) -> str:
    """What stands in `$'…'`; only what is surely the same in every bash and locale."""
    return _ESCAPE.sub(_unescape, raw)


def _unescape(found: re.Match[str]) -> str:
    if sign := found["sign"]:
        if sign not in _SIGNS:
            raise LineRefused("escape")
        return _SIGNS[sign]
    digits = found["hex"] or found["short"] or found["long"]
    code = int(digits, 16) if digits else int(found["octal"], 8)
    if not 0x20 <= code < 0x7F:
        raise LineRefused("escape")
    return chr(code)


def may_expand(masked: str) -> bool:
    """Whether bash may put something else in place of these unquoted characters."""
    if _GLOB.search(masked) or _TILDE.search(masked):
        return True
    if "{" not in masked:
        return False
    # Any other sign of a list, and bash may look for its end behind the first closing brace.
    rest = _NO_LIST.sub("", masked)
    # No pattern: it would try every brace with every comma.
    inside = masked[masked.find("{") + 1 : max(0, masked.rfind("}"))]
    return any(sign in rest for sign in "{},") and ("," in inside or ".." in inside)


def parse_static_word(raw: str) -> Word:
    """A word without `$` and backquotes (but in single quotes, or escaped)."""
    if _PLAIN.fullmatch(raw):
        return Word(raw)
    text, masked, quoted = [], [], False
    for found in _STATIC.finditer(raw):
        piece = _piece(found)
        text.append(piece)
        if found.lastgroup == "bare":
            masked.append(piece)
        else:
            quoted = True
            masked.append(QUOTED * len(piece))
    return Word("".join(text), expands=may_expand("".join(masked)), quoted=quoted)


def _piece(found: re.Match[str]) -> str:
    if found.lastgroup == "bare":
        return found["bare"]
    if found.lastgroup == "escape":
        return found["escape"][1:].replace("\n", "")
    if found.lastgroup == "single":
        return found["single"]
    return unquote_double(found["double"])
