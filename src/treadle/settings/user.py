"""The login name of the user who runs this process, as the system knows it."""

import os
import pwd


def login_name() -> str:
    """The user's name; `uid-` and the number if the system has no name for it."""
    number = os.getuid()
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"uid-{number}"
