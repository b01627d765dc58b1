"""The probe fails if any single option of the sandbox is removed."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from tests.escapes.bubblewrap_arguments import BubblewrapArgument, arguments_of, give
from tests.escapes.callers import Caller
from treadle.adapters.sandboxes.bubblewrap_options import LAUNCHER
from treadle.adapters.sandboxes.mounts import GIT_PROTECTED, START_FILES, START_FOLDERS
from treadle.adapters.sandboxes.probe_verdict import UNUSABLE_HINT
from treadle.adapters.sandboxes.sandbox_probe import PROTECTED, run_probe
from treadle.domain.sandbox import (
    ConfinedCommand,
    Confinement,
    ProbePassed,
    ProbeResult,
    SandboxFailed,
)

Change = Callable[[list[BubblewrapArgument]], list[BubblewrapArgument]]

# Options whose absence the probe does not notice, and why they exist.
UNSEEN = {
    "--assert-userns-disabled": "checks another option, which is seen",
    "--clearenv": "bubblewrap is started without variables, so there is none to clear",
    "--ro-bind-try": "shows a part of the system; without it there is less to see, not more",
    "--file": "as above",
    "--symlink": "as above",
    "--setenv": "as above",
    "--dir": "a directory that would be made anyway, for its owner alone",
    "--chdir": "bubblewrap then goes to the directory that it was started in, if it is there",
}
# The message without each option: of the canary, or of bubblewrap, which does not start.
MISSED = {
    "--unshare-user": "requires --unshare-user",
    "--unshare-pid": "has its own pid namespace",
    "--unshare-ipc": "has its own ipc namespace",
    "--unshare-uts": "requires --unshare-uts",
    "--unshare-cgroup-try": "has its own cgroup namespace",
    "--unshare-net": "cannot reach services here; cannot reach abstract sockets",
    "--die-with-parent": "dies with its parent",
    "--new-session": "has its own terminal session",
    "--disable-userns": "creation of new user namespaces was not disabled",
    "--cap-drop": "has no capabilities",
    "--uid": "is an ordinary user",
    "--gid": "is an ordinary user",
    "--hostname": "does not know the machine",
    "--proc /proc": "remount readonly on /newroot/proc",
    "--dev /dev": "remount readonly on /newroot/dev",
    "--tmpfs /tmp": "cannot fill the memory with files",
    "--tmpfs /var/tmp": "cannot fill the memory with files",
    "--tmpfs /dev/shm": "writes temporary files",
    "--remount-ro /proc": "cannot set the kernel",
    "--remount-ro /dev": "cannot write the system; has the system read-only",
    "--remount-ro /": "cannot write the system",
    "--seccomp": "has its system calls filtered",
}
SEALED = [*GIT_PROTECTED, *map(str, PROTECTED), *START_FILES, *START_FOLDERS]
PINNED = ["kept", "absent", "absent/deep", ".git", ".git/objects", ".git/objects/info", ".config"]


async def probed(caller: Caller, change: Change) -> ProbeResult:
    """The result of a probe with changed options."""

    def confine(
        command: Sequence[str], environment: Mapping[str, str], within: Confinement
    ) -> ConfinedCommand | SandboxFailed:
        confined = caller.confine(command, environment, within)
        assert isinstance(confined, ConfinedCommand)
        give(confined, change(arguments_of(confined)))
        return confined

    return await run_probe(confine, caller.sandbox.failure, caller.probe_options)


def without(start: str) -> Change:
    """Removes the one option that begins with `start`."""

    def change(options: list[BubblewrapArgument]) -> list[BubblewrapArgument]:
        (gone,) = [one for one in options if f"{' '.join(one.words)} ".startswith(f"{start} ")]
        return [option for option in options if option is not gone]

    return change


def mounted(name: str, access: str) -> Callable[[BubblewrapArgument], bool]:
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


def unmounted(name: str) -> Change:
    gone = (mounted(name, "--bind"), mounted(name, "--ro-bind"))
    return lambda options: [one for one in options if not any(is_gone(one) for is_gone in gone)]


def unbounded(folder: str) -> Change:
    """Removes the size of the file system."""
    return lambda options: [
        replace(option, modifiers=()) if option.words == ("--tmpfs", folder) else option
        for option in options
    ]


async def failure(caller: Caller, change: Change) -> str:
    found = await probed(caller, change)
    assert isinstance(found, SandboxFailed)
    return found.message


async def test_the_unchanged_sandbox_passes(caller: Caller) -> None:
    assert isinstance(await probed(caller, lambda options: options), ProbePassed)


@pytest.mark.parametrize(("option", "message"), MISSED.items(), ids=MISSED)
async def test_without_any_one_option_it_fails(option: str, message: str, caller: Caller) -> None:
    found = await probed(caller, without(option))

    if option == "--cap-drop" and not caller.is_root:
        assert isinstance(
            found, ProbePassed
        )  # for an ordinary user bubblewrap drops them by itself
    else:
        assert isinstance(found, SandboxFailed)
        assert message in found.message


@pytest.mark.parametrize("folder", ["/tmp", "/var/tmp", "/dev/shm"])
async def test_without_a_size_for_temporary_files_it_fails(folder: str, us: Caller) -> None:
    message = await failure(us, unbounded(folder))

    assert message.endswith("failed tests: cannot fill the memory with files")


@pytest.mark.parametrize("name", PINNED)
async def test_it_fails_if_a_directory_above_a_protected_path_can_be_moved(
    name: str, us: Caller
) -> None:
    assert "cannot move protected files" in await failure(us, unpinned(name))


@pytest.mark.parametrize("name", SEALED)
async def test_it_fails_if_a_protected_path_can_be_written(name: str, us: Caller) -> None:
    assert "cannot write protected files" in await failure(us, unsealed(name))


@pytest.mark.parametrize("name", ["shown", "usr"])
async def test_it_fails_if_a_read_only_path_can_be_written(name: str, us: Caller) -> None:
    assert "has the system read-only" in await failure(us, unsealed(name))


@pytest.mark.parametrize(
    ("name", "message"),
    [("work", "keeps what it writes"), ("home", "keeps what it writes"), ("shown", "reads what")],
)
async def test_it_fails_if_a_needed_path_is_missing(name: str, message: str, us: Caller) -> None:
    assert message in await failure(us, unmounted(name))


async def test_it_fails_if_bubblewrap_has_our_own_variables(caller: Caller) -> None:
    def confine(
        command: Sequence[str], environment: Mapping[str, str], within: Confinement
    ) -> ConfinedCommand | SandboxFailed:
        # What enters a control group would take the variable away.
        direct = replace(caller, sandbox=replace(caller.sandbox, groups=None))
        confined = direct.confine(command, environment, within)
        assert isinstance(confined, ConfinedCommand)
        return replace(confined, environment={**confined.environment, "API_KEY": "secret"})

    found = await run_probe(confine, caller.sandbox.failure, caller.probe_options)

    assert isinstance(found, SandboxFailed)
    assert found.message.endswith("failed tests: sees no variables of ours")


async def test_it_fails_if_launched_programs_cannot_rename_files_into_other_directories(
    caller: Caller,
) -> None:
    """As they could not while the launcher's domain handled any right of the file system."""

    def confine(
        command: Sequence[str], environment: Mapping[str, str], within: Confinement
    ) -> ConfinedCommand | SandboxFailed:
        confined = caller.confine(command, environment, within)
        assert isinstance(confined, ConfinedCommand)
        (launcher,) = [one for one in arguments_of(confined) if one.words[-1] == LAUNCHER]
        text = os.pread(int(launcher.words[1]), 1 << 20, 0)
        changed = text.replace(b'pack("QQQ", 0,', b'pack("QQQ", 64,')
        assert changed != text
        os.pwrite(int(launcher.words[1]), changed, 0)
        return confined

    found = await run_probe(confine, caller.sandbox.failure, caller.probe_options)

    assert found == SandboxFailed(
        "programs cannot work in the sandbox; failed tests: renames and links files "
        "across directories",
        UNUSABLE_HINT,
    )


async def test_every_option_is_removed_by_one_of_these_tests(us: Caller) -> None:
    seen: list[BubblewrapArgument] = []

    def noted(options: list[BubblewrapArgument]) -> list[BubblewrapArgument]:
        seen.extend(options)
        return options

    await probed(us, noted)

    names = {option.words[0] for option in seen} - set(UNSEEN)
    # Mounts have tests of their own; the other tests need the generated files.
    others = {"--bind", "--ro-bind", "--ro-bind-data", "--json-status-fd"}
    assert names == {option.split()[0] for option in MISSED} | others
