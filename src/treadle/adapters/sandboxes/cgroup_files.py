"""Makes the control groups of sandboxes, reads what their limits did, and removes them."""

import asyncio
import os
import secrets
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from treadle.adapters.sandboxes.cgroups import (
    CONTROLLERS,
    GroupParent,
    GroupSource,
    SandboxGroups,
    SystemdScopes,
    count_oom_kills,
    count_refused_forks,
    enter_command,
    exceeded_text,
    killed_program,
    limit_files,
    possible_parents,
    scope_command,
    scope_environment,
)
from treadle.adapters.sandboxes.init_process import POLLS_S, SLOW_POLL_S, stat_fields
from treadle.domain.sandbox import ControlGroup, ResourceLimits

RECORDS_FOLDER = "cgroups"
PROC = Path("/proc")
TRIAL_S = 5.0
# How long the kernel may take to let go of ended processes.
REMOVAL_POLLS = (*POLLS_S, *(SLOW_POLL_S,) * 20)
_KERNEL_LOG = "/dev/kmsg"
_MAX_LOG_RECORDS = 4000


def find_group_source(
    records: Path, *, systemd_run: Path | None, runtime: Path | None
) -> GroupSource | None:
    """How this user can limit memory and processes of a sandbox in sum; None if not at all. Each
    way is tried before it is relied on."""
    try:
        mounts, own = ((PROC / "self" / name).read_text() for name in ("mountinfo", "cgroup"))
    except OSError:
        return None
    parents: dict[str, GroupParent] = {}
    for candidates in possible_parents(mounts, own):
        usable = [each for each in candidates if _is_usable(each, records)][:1]
        for parent in usable:
            for name in parent.controllers:
                parents.setdefault(name, parent)
    if parents:
        return SandboxGroups(tuple(dict.fromkeys(parents.values())))
    return _find_scopes(systemd_run, runtime) if systemd_run is not None else None


def make_group(source: SandboxGroups, limits: ResourceLimits, records: Path) -> ControlGroup:
    """A group with these limits. It is recorded first: after a `kill -9` a later run removes it."""
    name = f"treadle-{os.getpid()}-{secrets.token_hex(6)}"
    folders = tuple(parent.folder / name for parent in source.parents)
    group = ControlGroup(folders, records / RECORDS_FOLDER / name, limits)
    group.record.parent.mkdir(parents=True, exist_ok=True)
    started = _start_time(os.getpid())
    group.record.write_text("\n".join((started, *map(str, folders))), encoding="utf-8")
    try:
        for parent, folder in zip(source.parents, folders, strict=True):
            folder.mkdir()
            for file, text, required in limit_files(parent, limits):
                if required or (folder / file).exists():
                    (folder / file).write_text(text)
    except OSError:
        remove_group(group)
        raise
    return group


def remove_group(group: ControlGroup) -> bool:
    """Whether it is gone; a group with processes stays, and its record too."""
    for folder in group.folders:
        try:
            folder.rmdir()
        except FileNotFoundError:
            continue
        except OSError:
            return False
    group.record.unlink(missing_ok=True)
    return True


async def remove_ended_group(group: ControlGroup | None) -> None:
    """Remove a group as soon as the kernel has let go of its processes."""
    if group is None:
        return
    for pause in REMOVAL_POLLS:
        if remove_group(group):
            return
        await asyncio.sleep(pause)


def remove_stale_groups(records: Path) -> None:
    """Remove the groups of processes that ended without doing so."""
    for record in (records / RECORDS_FOLDER).glob("treadle-*"):
        with suppress(OSError, ValueError):
            started, *folders = record.read_text(encoding="utf-8").splitlines() or [""]
            owner = int(record.name.split("-")[1])
            if not started or _start_time(owner) != started:
                remove_group(ControlGroup(tuple(map(Path, folders)), record, ResourceLimits()))


def read_exceeded(group: ControlGroup | None) -> str:
    """What the limits did to the programs in the group, for a person; empty: nothing."""
    if group is None:
        return ""
    kills = refused = 0
    for folder in group.folders:
        kills += sum(
            count_oom_kills(_read(folder / name))
            for name in ("memory.oom_control", "memory.events")
        )
        refused += count_refused_forks(_read(folder / "pids.events"))
    program = killed_program(_read_kernel_log(), group.record.name) if kills else ""
    return exceeded_text(oom_kills=kills, refused=refused, program=program, limits=group.limits)


def _is_usable(parent: GroupParent, records: Path) -> bool:
    """Whether a process of ours can be put into a limited group there."""
    if not os.access(parent.folder, os.W_OK):
        return False
    if parent.version == 2:
        enabled = _read(parent.folder / "cgroup.subtree_control").split()
        if not set(CONTROLLERS) <= set(enabled):
            return False
    try:
        group = make_group(SandboxGroups((parent,)), ResourceLimits(), records)
    except OSError:
        return False
    try:
        return _succeeds(enter_command(group.folders, ("/bin/true",)), {})
    finally:
        remove_group(group)


def _find_scopes(program: Path, runtime: Path | None) -> SystemdScopes | None:
    is_root = os.geteuid() == 0
    if not is_root and (runtime is None or not (runtime / "systemd").is_dir()):
        return None
    scopes = SystemdScopes(program, None if is_root else runtime)
    name = f"treadle-{os.getpid()}-{secrets.token_hex(6)}"
    command = scope_command(scopes, ResourceLimits(), name, ("/bin/true",))
    return scopes if _succeeds(command, scope_environment(scopes)) else None


def _succeeds(command: Sequence[str], environment: dict[str, str]) -> bool:
    variables = {"PATH": "/usr/bin:/bin", **environment}
    try:
        done = subprocess.run(
            command, env=variables, cwd="/", capture_output=True, check=False, timeout=TRIAL_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _start_time(pid: int) -> str:
    """Distinguishes a process from a later one with the same id; empty if there is none."""
    fields = stat_fields(PROC / str(pid))
    return fields[19] if fields else ""


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


def _read_kernel_log() -> str:
    """The newest records, as far as this user may read them."""
    records: list[bytes] = []
    with suppress(OSError):
        log = os.open(_KERNEL_LOG, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            while True:
                try:
                    records.append(os.read(log, 8192))
                except BrokenPipeError:  # overwritten meanwhile
                    continue
                del records[:-_MAX_LOG_RECORDS]
        finally:
            os.close(log)
    return b"".join(records).decode(errors="replace")
