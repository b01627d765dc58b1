"""Looks for a Perl that may start commands; what makes one fit is decided in `launcher_text`."""

import subprocess
from collections.abc import Mapping

from treadle.adapters.sandboxes.launcher_text import (
    PERL,
    PERLS,
    QUESTION,
    SWITCHES,
    Perl,
    perl_for,
)

# It must make no difference.
PLANTED = {"PERL5OPT": "-Mtreadle_planted"}
OF_LOCALE = ("LANG", "LC_")
ANSWER_S = 10.0


def this_perl(machine: str, environment: Mapping[str, str]) -> Perl | None:
    """The system's, if it does as it is told and is silent in the locale of the environment."""
    if machine not in PERLS or not PERL.is_file():
        return None
    locale = {name: value for name, value in environment.items() if name.startswith(OF_LOCALE)}
    try:
        done = subprocess.run(
            (str(PERL), SWITCHES, "-e", QUESTION),
            env=locale | PLANTED,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=ANSWER_S,
        )
    # Not to be started by this user, or on this machine, or not in any useful time.
    except (OSError, subprocess.TimeoutExpired):
        return None
    return perl_for(machine, PERL.resolve(), done.stdout.decode(errors="replace"))
