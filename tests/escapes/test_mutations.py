"""Take any single wall away, and the probe turns red."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.escapes.callers import Caller
from tests.escapes.options_given import Given, give, given
from treadle.adapters.sandboxes.mounts import GIT_PROTECTED, START_FILES, START_FOLDERS
from treadle.adapters.sandboxes.options import isolation
from treadle.adapters.sandboxes.probing import PROTECTED, probe
from treadle.domain.sandbox import Confined, Confinement, Probed, Proven, SandboxFailed

Change = Callable[[list[Given]], list[Given]]

# Options whose absence no probe sees, and why they are there.
UNSEEN = {
    "--assert-userns-disabled": "checks another option, which is seen",
    "--clearenv": "bubblewrap is started without variables, so there is none to clear",
    "--ro-bind-try": "shows a part of the system; without it there is less to see, not more",
    "--symlink": "as above",
    "--setenv": "as above",
    "--dir": "a directory that would be made anyway, for its owner alone",
    "--chdir": "bubblewrap then goes to the directory that it was started in, if it is there",
}
WALLS = [option[0] for option in isolation(Confinement(Path("/w"), Path("/h")))]
PLACES = ["--proc /proc", "--dev /dev", "--tmpfs /tmp", "--tmpfs /var/tmp"]
LOCKS = ["--remount-ro /proc", "--remount-ro /", "--seccomp"]
SEALED = [*GIT_PROTECTED, *map(str, PROTECTED), *START_FILES, *START_FOLDERS]
PINNED = ["kept", "absent", "absent/deep", ".git", ".git/objects", ".git/objects/info", ".config"]


async def probed(caller: Caller, change: Change) -> Probed:
    """The probe of a sandbox whose options were changed behind its back."""

    def confine(
        command: Sequence[str], environment: Mapping[str, str], within: Confinement
    ) -> Confined | SandboxFailed:
        confined = caller.confine(command, environment, within)
        assert isinstance(confined, Confined)
        give(confined, change(given(confined)))
        return confined

    return await probe(confine, caller.sandbox.failure, caller.tried)


def without(start: str) -> Change:
    """Drops the one option that begins like this."""

    def change(options: list[Given]) -> list[Given]:
        (gone,) = [one for one in options if f"{' '.join(one.words)} ".startswith(f"{start} ")]
        return [option for option in options if option is not gone]

    return change


def mounted(name: str, access: str) -> Callable[[Given], bool]:
    return lambda option: option.words[0] == access and option.words[2].endswith(f"/{name}")


def unpinned(name: str) -> Change:
    pin = mounted(name, "--bind")
    return lambda options: [option for option in options if not pin(option)]


def unsealed(name: str) -> Change:
    seal = mounted(name, "--ro-bind")
    return lambda options: [
        replace(option, words=("--bind", *option.words[1:])) if seal(option) else option
        for option in options
    ]


def rid_of(words: str) -> Change:
    """Drops the modifier in front of an option, not the option."""
    modifier, _, option = words.partition(" of ")

    def change(options: list[Given]) -> list[Given]:
        return [
            replace(one, modifiers=tuple(m for m in one.modifiers if m[0] != modifier))
            if " ".join(one.words) == option
            else one
            for one in options
        ]

    return change


async def test_as_it_is_the_sandbox_is_proven(caller: Caller) -> None:
    assert isinstance(await probed(caller, lambda options: options), Proven)


@pytest.mark.parametrize("start", [*(w for w in WALLS if w not in UNSEEN), *PLACES, *LOCKS])
async def test_without_any_one_option_it_is_not(start: str, caller: Caller) -> None:
    if start == "--cap-drop" and caller.who == "user":
        pytest.skip("an ordinary user's bubblewrap drops all capabilities by itself")

    assert isinstance(await probed(caller, without(start)), SandboxFailed)


@pytest.mark.parametrize("words", ["--size of --tmpfs /tmp", "--size of --tmpfs /var/tmp"])
async def test_nor_without_a_bound_for_temporary_files(words: str, caller: Caller) -> None:
    assert isinstance(await probed(caller, rid_of(words)), SandboxFailed)


@pytest.mark.parametrize("name", PINNED)
async def test_nor_if_a_directory_above_a_protected_path_can_be_moved(
    name: str, caller: Caller
) -> None:
    assert isinstance(await probed(caller, unpinned(name)), SandboxFailed)


@pytest.mark.parametrize("name", [*SEALED, "shown", "usr"])
async def test_nor_if_something_read_only_can_be_written(name: str, caller: Caller) -> None:
    assert isinstance(await probed(caller, unsealed(name)), SandboxFailed)


@pytest.mark.parametrize("name", ["work", "home", "shown"])
async def test_nor_if_something_that_is_needed_is_not_there(name: str, caller: Caller) -> None:
    def change(options: list[Given]) -> list[Given]:
        gone = (mounted(name, "--bind"), mounted(name, "--ro-bind"))
        return [option for option in options if not any(is_gone(option) for is_gone in gone)]

    assert isinstance(await probed(caller, change), SandboxFailed)


async def test_nor_if_bubblewrap_is_given_our_own_variables(caller: Caller) -> None:
    def confine(
        command: Sequence[str], environment: Mapping[str, str], within: Confinement
    ) -> Confined | SandboxFailed:
        confined = caller.confine(command, environment, within)
        assert isinstance(confined, Confined)
        return replace(confined, environment={**confined.environment, "API_KEY": "secret"})

    found = await probe(confine, caller.sandbox.failure, caller.tried)

    assert isinstance(found, SandboxFailed)
    assert found.message.endswith("it sees no variables of ours")


async def test_every_option_is_taken_away_by_one_of_these_tests(caller: Caller) -> None:
    seen: list[Given] = []

    def noted(options: list[Given]) -> list[Given]:
        seen.extend(options)
        return options

    await probed(caller, noted)

    names = {option.words[0] for option in seen} - set(UNSEEN)
    mutated = {start.split()[0] for start in (*WALLS, *PLACES, *LOCKS)}
    # Mounts have tests of their own; the files that are written in are needed by the rest.
    assert names - mutated == {"--bind", "--ro-bind", "--ro-bind-data", "--json-status-fd"}
