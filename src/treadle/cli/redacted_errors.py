"""Error text and crash reports with known secrets redacted.

Loaded by failures alone: commands that only look something up must not wait for it.
"""

import sys
import traceback
from types import TracebackType

from treadle.domain.errors import StoreError
from treadle.policy.redaction import make_redactor
from treadle.runs.credentials import known_secrets
from treadle.settings.environment import Environment, credential_values


def redact_secrets(text: str, environment: Environment) -> str:
    """The text, fit for a terminal that somebody looks at and a log that somebody sends."""
    try:
        known = known_secrets(environment)
    except StoreError:
        # Kept credentials that cannot be read cannot be in the text, either.
        known = credential_values(environment.raw)
    return make_redactor(known)(text)


def print_crash(
    environment: Environment,
    kind: type[BaseException],
    error: BaseException,
    place: TracebackType | None,
) -> None:
    """In place of Python's own report of a mistake of ours."""
    report = "".join(traceback.format_exception(kind, error, place))
    sys.stderr.write(redact_secrets(report, environment))
