"""The login name of this process's user, from the system and not from variables."""

import os
import pwd


def login_name() -> str:
    """The name of this process's user; the number where the system has no name for it."""
    number = os.getuid()
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"uid-{number}"
