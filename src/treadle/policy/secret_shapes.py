"""Patterns of credentials, one row per kind, and the words that mark a placeholder. Rules only.

A pattern is tried only if the text contains one of its `hints`, so ordinary text costs only a few
substring searches.
"""

import re
import string
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class SecretShape:
    """One kind of credential; the group `secret` of the pattern is the secret part.

    A match without that group contains no secret, and the search continues after it.

    A `form` is unmistakable. A `name` is a value after a name such as PASSWORD: it is always hidden
    on a screen, but in a file it counts as a credential only if it looks random.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: str
    matched_by: Literal["form", "name"] = "form"

    @property
    def regex(self) -> re.Pattern[str]:
        """Compiled on demand, because most shapes are never needed."""
        return re.compile(self.pattern)


# The longest run of letters that is matched, to bound the time.
_MOST = 4000
_ALONE = r"(?<![A-Za-z0-9_])"
_WORD = r"[A-Za-z0-9_-]"


def _form(kind: str, hints: tuple[str, ...], pattern: str) -> SecretShape:
    return SecretShape(kind, hints, f"{_ALONE}(?P<secret>{pattern})")


def _name(kind: str, hints: tuple[str, ...], pattern: str) -> SecretShape:
    return SecretShape(kind, hints, pattern, "name")


FORMS: tuple[SecretShape, ...] = (
    _form("an Anthropic key", ("sk-ant-",), rf"sk-ant-{_WORD}{{16,{_MOST}}}"),
    _form(
        "an OpenAI key",
        ("sk-",),
        rf"sk-(?:(?:proj|svcacct|admin)-{_WORD}{{20,{_MOST}}}|[A-Za-z0-9]{{32,{_MOST}}})",
    ),
    _form(
        "a GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        rf"(?:gh[pousr]_[A-Za-z0-9]{{30,{_MOST}}}|github_pat_[A-Za-z0-9_]{{22,{_MOST}}})",
    ),
    _form(
        "a GitLab token",
        ("glpat-", "gldt-", "glrt-"),
        rf"gl(?:pat|dt|rt)-[A-Za-z0-9_.-]{{18,{_MOST}}}",
    ),
    _form("an npm token", ("npm_",), rf"npm_[A-Za-z0-9]{{30,{_MOST}}}"),
    _form("a PyPI token", ("pypi-",), rf"pypi-{_WORD}{{40,{_MOST}}}"),
    _form(
        "a Slack token",
        ("xox", "xapp-"),
        rf"(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{{10,{_MOST}}}[A-Za-z0-9]",
    ),
    _form(
        "a Slack webhook",
        ("hooks.slack.com/services/",),
        rf"hooks\.slack\.com/services/[A-Za-z0-9/]{{20,{_MOST}}}",
    ),
    _form("an AWS access key", ("AKIA", "ASIA"), r"(?:AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9])"),
    _form("a Google API key", ("AIza",), rf"AIza{_WORD}{{35}}"),
    _form("a Google token", ("ya29.", "GOCSPX"), rf"(?:ya29\.|GOCSPX-){_WORD}{{20,{_MOST}}}"),
    _form(
        "a Stripe key",
        ("k_live_", "whsec_"),
        rf"(?:[sr]k_live|whsec)_[A-Za-z0-9]{{16,{_MOST}}}",
    ),
    _form("a Linear key", ("lin_api_",), rf"lin_api_[A-Za-z0-9]{{30,{_MOST}}}"),
    _form("a Hugging Face token", ("hf_",), rf"hf_[A-Za-z0-9]{{30,{_MOST}}}"),
    _form("a DigitalOcean token", ("_v1_",), rf"do[oprt]_v1_[0-9a-f]{{60,{_MOST}}}"),
    _form("a SendGrid key", ("SG.",), rf"SG\.{_WORD}{{20,{_MOST}}}\.{_WORD}{{40,{_MOST}}}"),
    SecretShape(
        "a JSON web token",
        ("eyJ",),
        # The second alternative skips a long run that is no token.
        rf"{_ALONE}(?:(?P<secret>eyJ{_WORD}{{8,}}+\.eyJ{_WORD}{{8,}}+\.{_WORD}{{8,}}+)"
        rf"|eyJ{_WORD}{{32,}}+)",
    ),
)

# The marker that Treadle puts where it truncates a text.
CUT = r"\n?… \(?\d+ (?:characters )?more"

# A truncated key counts as a key.
_PEM = r"(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
PRIVATE_KEY = SecretShape(
    "a private key",
    ("PRIVATE KEY",),
    rf"-----BEGIN {_PEM}(?P<secret>[\s\S]*?)(?:-----END {_PEM}|(?={CUT})|\Z)",
)
PRIVATE_KEY_END = rf"(?:\A|(?<=more\) …\n))(?P<secret>[A-Za-z0-9+/=\s\\]{{8,}})-----END {_PEM}"
# In a file, the header alone is no key.
PRIVATE_KEY_IN_FULL = SecretShape(
    "a private key",
    ("PRIVATE KEY",),
    (
        rf"-----BEGIN {_PEM}(?:\\[rn]|[\s\"'+,\\]){{0,200}}"
        r"(?:[A-Za-z-]+: [^\n]{0,4000}+\n){0,9}\s?(?P<secret>[A-Za-z0-9+/=]{40,})"
    ),
)

_SENSITIVE = r"(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|(?:API|ACCESS|PRIVATE|AUTH)_KEY|APIKEY)"
_CAPITALS = ("TOKEN", "SECRET", "PASSW", "PASSPHRASE", "_KEY", "APIKEY")

NAMED: tuple[SecretShape, ...] = (
    _name(
        "an authorization header",
        ("uthorization", "UTHORIZATION", "api-key", "Api-Key", "API-KEY"),
        r"(?i:authorization|x-api-key|private-token)[\"']?\s*[:=]\s*[\"']?"
        r"(?:(?i:bearer|basic|token|digest)\s+)?(?P<secret>[^\s\"',;<>{}$]{8,})",
    ),
    _name(
        "a bearer token",
        ("earer ",),
        r"\b[Bb]earer\s+(?P<secret>[A-Za-z0-9._~+/=-]{20,})",
    ),
    _name(
        "a password in an address",
        ("://",),
        r"://[^\s/:@\"'<>]*:(?P<secret>[^\s/@\"'<>]{3,})@",
    ),
    _name(
        "a secret variable",
        _CAPITALS,
        rf"(?<![A-Za-z0-9_])[A-Z0-9_]*{_SENSITIVE}S?(?:=|[\"']\s*:\s*)[\"']?"
        r"(?P<secret>[^\s\"'&;|<>()\[\]{}$,`\\]{8,})",
    ),
)

# Only searched for in files: on a screen it would hide too much ordinary code.
ASSIGNED = _name(
    "a secret",
    ("secret", "Secret", "oken", "assw", "assphrase", "key", "Key"),
    r"(?i:secret|token|password|passwd|passphrase|(?:api|access|private|auth|secret)[_-]?key)"
    r"[\"']?\s*(?::=|=>|=|:)\s*[\"'](?P<secret>[^\s\"'<>{}$]{20,})[\"']",
)

ON_SCREEN: tuple[SecretShape, ...] = (PRIVATE_KEY, *FORMS, *NAMED)
IN_FILES: tuple[SecretShape, ...] = (PRIVATE_KEY_IN_FULL, *FORMS, *NAMED, ASSIGNED)


@dataclass(frozen=True, slots=True)
class SecretPrefix:
    """The beginning of a token that was truncated too early for its pattern.

    Between `least` and `most` of `letters` may follow.
    """

    pattern: str
    letters: str
    least: int
    most: int


SECRET_PREFIX = SecretPrefix(
    rf"{_ALONE}(?:sk-|gh[pousr]_|github_pat_|gl[a-z]{{2,4}}-|npm_|pypi-|xox[a-z]-|xapp-|AKIA"
    r"|ASIA|AIza|ya29\.|[sr]k_live_|lin_api_|hf_|eyJ)",
    f"{string.ascii_letters}{string.digits}_.+/=-",
    least=0,
    most=800,
)
# For texts truncated without a marker, only unmistakable prefixes count.
CERTAIN_PREFIX = SecretPrefix(
    rf"{_ALONE}(?:sk-ant-|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|AKIA|AIza|[sr]k_live_)",
    f"{string.ascii_letters}{string.digits}_-",
    least=4,
    most=_MOST,
)
LONGEST_PREFIX = len("github_pat_")

PLACEHOLDER_WORDS = (
    *("example", "sample", "dummy", "fake", "placeholder", "changeme", "change-me", "change_me"),
    *("your", "xxxx", "0000", "1234", "abcd", "test", "mock", "redact", "insert", "....", "****"),
    *("deadbeef", "notreal", "not-real", "invalid"),
)
