"""What a command says when it fails, without the secrets that are known where it runs.

Loaded by failures alone: commands that only look something up must not wait for it.
"""

import sys
import traceback
from types import TracebackType

from treadle.domain.errors import StoreError
from treadle.policy.redaction import redactor
from treadle.settings.environment import Environment, credentials
from treadle.wiring.credentials import known_secrets


def hushed(text: str, environment: Environment) -> str:
    """The text, fit for a terminal that somebody looks at and a log that somebody sends."""
    try:
        known = known_secrets(environment)
    except StoreError:
        # Kept credentials that cannot be read cannot be in the text, either.
        known = credentials(environment.raw)
    return redactor(known)(text)


def tell_of_crash(
    environment: Environment,
    kind: type[BaseException],
    error: BaseException,
    place: TracebackType | None,
) -> None:
    """In place of Python's own report of a mistake of ours."""
    report = "".join(traceback.format_exception(kind, error, place))
    sys.stderr.write(hushed(report, environment))
