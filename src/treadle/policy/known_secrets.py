"""The secrets that a run knows of: those it began with, and those that it learns while it works."""

from collections.abc import Iterable
from threading import Lock

from treadle.policy.secret_encodings import encoded_forms

# Every search goes through all of them. Of a login that is renewed every hour, those of a day.
MOST_LEARNED = 64


class KnownSecrets:
    """Values that must not be stored or shown. Used from several threads: `forms` is replaced as a
    whole."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._first = tuple(secrets)
        self._learned: tuple[str, ...] = ()
        self._lock = Lock()
        # In every encoding, the longest first.
        self.forms = encoded_forms(self._first)

    def learn(self, secret: str) -> None:
        """From now on this is a secret, too."""
        with self._lock:
            if secret in self._learned or secret in self._first:
                return
            self._learned = (*self._learned, secret)[-MOST_LEARNED:]
            self.forms = encoded_forms((*self._first, *self._learned))
