"""The options that a confined command hands to bubblewrap, read and written back."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from treadle.domain.sandbox import ConfinedCommand

ALONE = ("--die-with-parent", "--new-session", "--clearenv", "--disable-userns")
OF_THREE = (
    "--bind",
    "--ro-bind",
    "--ro-bind-try",
    "--ro-bind-data",
    "--file",
    "--symlink",
    "--setenv",
)
# They modify the option that follows.
MODIFIERS = ("--perms", "--size")


@dataclass(frozen=True)
class BubblewrapArgument:
    """One option with its modifiers in front."""

    words: tuple[str, ...]
    modifiers: tuple[tuple[str, ...], ...] = ()

    @property
    def flat(self) -> tuple[str, ...]:
        return (*(word for modifier in self.modifiers for word in modifier), *self.words)


def arguments_of(confined: ConfinedCommand) -> list[BubblewrapArgument]:
    text = os.pread(_descriptor(confined), 1 << 20, 0).decode()
    return grouped(text.split("\0")[:-1])


def give(confined: ConfinedCommand, options: Sequence[BubblewrapArgument]) -> None:
    descriptor = _descriptor(confined)
    os.ftruncate(descriptor, 0)
    words = (word for option in options for word in option.flat)
    os.pwrite(descriptor, b"".join(word.encode() + b"\0" for word in words), 0)


def grouped(words: Sequence[str]) -> list[BubblewrapArgument]:
    options: list[BubblewrapArgument] = []
    modifiers: list[tuple[str, ...]] = []
    at = 0
    while at < len(words):
        end = at + _length(words[at])
        option, at = tuple(words[at:end]), end
        if option[0] in MODIFIERS:
            modifiers.append(option)
        else:
            options.append(BubblewrapArgument(option, tuple(modifiers)))
            modifiers = []
    return options


def _length(name: str) -> int:
    if name in ALONE or name.startswith(("--unshare", "--assert")):
        return 1
    return 3 if name in OF_THREE else 2


def _descriptor(confined: ConfinedCommand) -> int:
    return int(confined.command[confined.command.index("--args") + 1])
