"""Error text and crash reports with known secrets redacted.

Imported only on failure: commands that only look something up must not wait for it.
"""

import sys
import traceback
from types import TracebackType

from treadle.domain.errors import StoreError
from treadle.policy.redaction import make_redactor
from treadle.runs.credentials import credential_values, known_secrets
from treadle.settings.environment import Environment


def redact_secrets(text: str, environment: Environment) -> str:
    """The text without secrets, safe for a terminal and for a log that is sent on."""
    try:
        known = known_secrets(environment)
    except StoreError:
        # Stored credentials that cannot be read cannot be in the text.
        known = credential_values(environment)
    return make_redactor(known)(text)


def print_crash(
    environment: Environment,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
) -> None:
    """Instead of Python's own traceback, for an error of ours."""
    report = "".join(traceback.format_exception(kind, error, trace))
    sys.stderr.write(redact_secrets(report, environment))
