"""Both launchers, whichever of them this machine would choose."""

import platform
from typing import Literal, TypeAlias

from tests.missing import missing
from treadle.adapters.sandboxes.launcher_text import PERL, Perl, Starter, this_interpreter
from treadle.adapters.sandboxes.perl import this_perl

Language: TypeAlias = Literal["perl", "python"]
LANGUAGES: tuple[Language, ...] = ("perl", "python")


def perl_if(language: Language) -> Perl | None:
    """What a sandbox is made with, so that its launcher is in this language."""
    if language == "python":
        return None
    return this_perl(platform.machine(), {}) or missing(f"a {PERL} that may start commands")


def starter_in(language: Language) -> Starter:
    return perl_if(language) or this_interpreter()
