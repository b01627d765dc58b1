"""Decides where control groups can be made, and what is written to them. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from treadle.domain.sandbox import ResourceLimits

Controller = Literal["memory", "pids"]
CONTROLLERS: tuple[Controller, ...] = ("memory", "pids")
MEGABYTE = 1 << 20
# Enters each group whose file is named before the `--`, and becomes the command after it. Group by
# group, because version 1 has one for each controller.
ENTER = 'while [ "$1" != -- ]; do echo 0 >"$1" || exit 125; shift; done; shift; exec "$@"'
SHELL = "/bin/sh"
# Programs inside can read the variables of bubblewrap: it gets none of a shell or `systemd-run`.
PLAIN = ("/usr/bin/env", "-i", "PATH=/usr/bin:/bin")
_OOM_KILLS = re.compile(r"^oom_kill (\d+)$", re.MULTILINE)
_REFUSED_FORKS = re.compile(r"^max (\d+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class GroupParent:
    """A group in which others can be made, and the controllers that these would have."""

    folder: Path
    version: Literal[1, 2]
    controllers: frozenset[Controller]


@dataclass(frozen=True, slots=True)
class SandboxGroups:
    """Each sandbox gets groups of its own below these parents."""

    parents: tuple[GroupParent, ...]

    @property
    def controllers(self) -> frozenset[Controller]:
        return frozenset().union(*(parent.controllers for parent in self.parents))


@dataclass(frozen=True, slots=True)
class SystemdScopes:
    """Each sandbox gets a scope of the service manager, which removes it afterwards."""

    program: Path
    # The directory of the user's own service manager; None: root uses that of the system.
    runtime: Path | None

    @property
    def controllers(self) -> frozenset[Controller]:
        return frozenset(CONTROLLERS)


GroupSource = SandboxGroups | SystemdScopes


def possible_parents(mounts: str, own: str) -> list[tuple[GroupParent, ...]]:
    """The places for groups of this process, in the order in which to try them; each is a list of
    groups, of which the first that fits is to be taken. Given /proc/self/mountinfo and
    /proc/self/cgroup.

    Groups are made within our own, so that the limits around us hold for them as well.
    """
    found: list[tuple[GroupParent, ...]] = []
    paths = _own_paths(own)
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if len(fields) < 5 or len(kind) < 3:
            continue
        root, point = fields[3], Path(_unescape(fields[4]))
        if kind[0] == "cgroup2" and "" in paths:
            found.append(_ancestors(point, _below(root, paths[""])))
        elif kind[0] == "cgroup":
            held = frozenset(each for each in CONTROLLERS if each in kind[2].split(","))
            if held and (path := paths.get(min(held))) is not None:
                folder = point / _below(root, path)
                found.append((GroupParent(folder, 1, held),))
    return found


def limit_files(parent: GroupParent, limits: ResourceLimits) -> list[tuple[str, str, bool]]:
    """The files of a group, in the order in which they are written, their text, and whether each
    kernel has them."""
    files: list[tuple[str, str, bool]] = []
    memory = str(limits.memory_mb * MEGABYTE)
    if "memory" in parent.controllers and limits.memory_mb:
        if parent.version == 1:
            files += [
                ("memory.limit_in_bytes", memory, True),
                # Memory and swap together.
                ("memory.memsw.limit_in_bytes", memory, False),
            ]
        else:
            files += [("memory.max", memory, True), ("memory.swap.max", "0", False)]
    if "pids" in parent.controllers:
        files.append(("pids.max", str(limits.processes), True))
    return files


def enter_command(folders: Sequence[Path], command: Sequence[str]) -> tuple[str, ...]:
    """The command, started in these groups."""
    entries = (str(folder / "cgroup.procs") for folder in folders)
    return (SHELL, "-c", ENTER, "sh", *entries, "--", *PLAIN, *command)


def scope_command(
    scopes: SystemdScopes, limits: ResourceLimits, name: str, command: Sequence[str]
) -> tuple[str, ...]:
    """The command in a scope of its own."""
    memory = (f"--property=MemoryMax={limits.memory_mb}M", "--property=MemorySwapMax=0")
    return (
        str(scopes.program),
        *(("--user",) if scopes.runtime is not None else ()),
        *("--scope", "--quiet", "--collect", f"--unit={name}"),
        *(memory if limits.memory_mb else ()),
        f"--property=TasksMax={limits.processes}",
        *("--", *PLAIN),
        *command,
    )


def scope_environment(scopes: SystemdScopes) -> dict[str, str]:
    """What `systemd-run` needs to find the user's service manager."""
    return {} if scopes.runtime is None else {"XDG_RUNTIME_DIR": str(scopes.runtime)}


def count_oom_kills(text: str) -> int:
    """Of memory.oom_control (version 1) or memory.events (version 2)."""
    found = _OOM_KILLS.search(text)
    return int(found[1]) if found else 0


def count_refused_forks(text: str) -> int:
    """Of pids.events."""
    found = _REFUSED_FORKS.search(text)
    return int(found[1]) if found else 0


def killed_program(kernel_log: str, group: str) -> str:
    """The program that the kernel ended last in the group with this name; empty if unknown."""
    pattern = rf"oom-kill:.*?oom_memcg=\S*/{re.escape(group)},.*?,task=(.*?),pid=\d+"
    found = re.findall(pattern, kernel_log)
    return found[-1] if found else ""


def exceeded_text(*, oom_kills: int, refused: int, program: str, limits: ResourceLimits) -> str:
    """What the limits of a sandbox did to its programs; empty: nothing."""
    told = []
    if oom_kills:
        told.append(
            f"the kernel ended {program or 'a program'} in the sandbox, whose programs and"
            f" temporary files may use {limits.memory_mb} MB of memory together"
            " (raise sandbox.memory_mb if the work needs more)"
        )
    if refused:
        told.append(
            f"programs in the sandbox could not start others, because {limits.processes} processes"
            " and threads were running (raise sandbox.processes if the work needs more)"
        )
    return "; ".join(told)


def _own_paths(own: str) -> dict[str, str]:
    """The path of our group by controller; version 2 has the name ''."""
    paths: dict[str, str] = {}
    for line in own.splitlines():
        _, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        paths |= dict.fromkeys(names.split(","), path)
    return paths


def _below(root: str, path: str) -> str:
    """The path of a group relative to what is mounted."""
    inside = path.removeprefix(root) if root != "/" and path.startswith(root) else path
    return inside.strip("/")


def _ancestors(point: Path, path: str) -> tuple[GroupParent, ...]:
    """Our own group cannot have limited groups below it while we are in it, unless it is the
    topmost; one above it can."""
    both = frozenset(CONTROLLERS)
    own = point / path
    above = [each for each in own.parents if each == point or each.is_relative_to(point)]
    return tuple(GroupParent(each, 2, both) for each in (above if path else [point]))


def _unescape(text: str) -> str:
    """The kernel writes spaces and the like in octal."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text)
