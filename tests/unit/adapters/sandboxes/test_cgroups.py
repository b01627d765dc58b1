"""Where control groups can be made, what is written to them, and what they tell."""

from pathlib import Path

import pytest

from treadle.adapters.sandboxes.cgroups import (
    CONTROLLERS,
    GroupParent,
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
from treadle.domain.sandbox import ResourceLimits

TOP = Path("/sys/fs/cgroup")
BOTH = frozenset(CONTROLLERS)
MEMORY, PIDS = frozenset(CONTROLLERS[:1]), frozenset(CONTROLLERS[1:])
UNIFIED = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
SEPARATE = (
    "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:7 - cgroup cgroup rw,memory\n"
    "39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n"
)
LIMITS = ResourceLimits(processes=64, memory_mb=100, file_mb=1)


def v2(*paths: str) -> tuple[GroupParent, ...]:
    return tuple(GroupParent(TOP / path, 2, BOTH) for path in paths)


@pytest.mark.parametrize(
    ("mounts", "own", "parents"),
    [
        pytest.param(
            SEPARATE,
            "8:pids:/\n4:memory:/user/me\n1:cpu:/\n",
            [
                (GroupParent(TOP / "memory/user/me", 1, MEMORY),),
                (GroupParent(TOP / "pids", 1, PIDS),),
            ],
            id="version 1: in our own groups",
        ),
        pytest.param(
            UNIFIED,
            "0::/user.slice/user@1.service/app.scope\n",
            [v2("user.slice/user@1.service", "user.slice", "")],
            id="version 2: above our own group, the nearest first",
        ),
        pytest.param(UNIFIED, "0::/\n", [v2("")], id="version 2: at the top"),
        pytest.param(
            "35 31 0:32 /docker/1 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
            "4:memory:/docker/1\n",
            [(GroupParent(TOP / "memory", 1, MEMORY),)],
            id="version 1 in a container: relative to what is mounted",
        ),
        pytest.param(
            "35 31 0:32 / /my\\040groups rw - cgroup cgroup rw,memory,pids\n",
            "4:memory,pids:/a\n",
            [(GroupParent(Path("/my groups/a"), 1, BOTH),)],
            id="both controllers in one, and a space in the path",
        ),
        pytest.param("30 23 0:26 / / rw - ext4 /dev/vda rw\n", "0::/\n", [], id="none"),
        pytest.param("nonsense\n", "nonsense\n", [], id="nonsense"),
    ],
)
def test_groups_are_made_within_the_limits_around_us(
    mounts: str, own: str, parents: list[tuple[GroupParent, ...]]
) -> None:
    assert possible_parents(mounts, own) == parents


@pytest.mark.parametrize(
    ("parent", "limits", "files"),
    [
        (
            GroupParent(TOP, 1, MEMORY),
            LIMITS,
            [
                ("memory.limit_in_bytes", "104857600", True),
                ("memory.memsw.limit_in_bytes", "104857600", False),
            ],
        ),
        (GroupParent(TOP, 1, PIDS), LIMITS, [("pids.max", "64", True)]),
        (
            GroupParent(TOP, 2, BOTH),
            LIMITS,
            [
                ("memory.max", "104857600", True),
                ("memory.swap.max", "0", False),
                ("pids.max", "64", True),
            ],
        ),
        (GroupParent(TOP, 2, BOTH), ResourceLimits(64, 0), [("pids.max", "64", True)]),
    ],
)
def test_a_group_limits_memory_with_swap_and_processes(
    parent: GroupParent, limits: ResourceLimits, files: list[tuple[str, str, bool]]
) -> None:
    assert limit_files(parent, limits) == files


def test_a_command_enters_every_group_before_it_runs() -> None:
    command = enter_command((TOP / "memory/a", TOP / "pids/a"), ("bwrap", "--", "x"))

    assert command[3:] == (
        "sh",
        "/sys/fs/cgroup/memory/a/cgroup.procs",
        "/sys/fs/cgroup/pids/a/cgroup.procs",
        *("--", "/usr/bin/env", "-i", "PATH=/usr/bin:/bin"),
        *("bwrap", "--", "x"),
    )


@pytest.mark.parametrize(
    ("runtime", "manager", "variables"),
    [
        (Path("/run/user/7"), ("--user",), {"XDG_RUNTIME_DIR": "/run/user/7"}),
        (None, (), {}),
    ],
)
def test_a_scope_of_the_service_manager_has_the_same_limits(
    runtime: Path | None, manager: tuple[str, ...], variables: dict[str, str]
) -> None:
    scopes = SystemdScopes(Path("/usr/bin/systemd-run"), runtime)

    assert scope_environment(scopes) == variables
    assert scope_command(scopes, LIMITS, "treadle-1", ("bwrap", "x")) == (
        "/usr/bin/systemd-run",
        *manager,
        *("--scope", "--quiet", "--collect", "--unit=treadle-1"),
        *("--property=MemoryMax=100M", "--property=MemorySwapMax=0", "--property=TasksMax=64"),
        *("--", "/usr/bin/env", "-i", "PATH=/usr/bin:/bin", "bwrap", "x"),
    )


def test_the_counts_of_both_versions_are_read() -> None:
    assert count_oom_kills("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n") == 3
    assert count_oom_kills("low 0\nmax 9\noom 1\noom_kill 2\noom_group_kill 0\n") == 2
    assert count_refused_forks("max 4\n") == 4
    assert (count_oom_kills(""), count_refused_forks("")) == (0, 0)


def test_the_kernel_names_the_program_that_it_ended() -> None:
    def logged(group: str, task: str) -> str:
        return (
            "4,1,2,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,"
            f"mems_allowed=0,oom_memcg=/a/{group},task_memcg=/a/{group},task={task},pid=7,uid=0\n"
        )

    log = logged("treadle-1", "cc1") + logged("treadle-1", "ld") + logged("treadle-2", "node")

    assert killed_program(log, "treadle-1") == "ld"
    assert killed_program(log, "treadle-3") == ""


def test_what_the_limits_did_names_the_setting_to_change() -> None:
    assert exceeded_text(oom_kills=0, refused=0, program="", limits=LIMITS) == ""
    assert exceeded_text(oom_kills=1, refused=2, program="ld", limits=LIMITS) == (
        "the kernel ended ld in the sandbox, whose programs and temporary files may use 100 MB of"
        " memory together (raise sandbox.memory_mb if the work needs more); programs in the sandbox"
        " could not start others, because 64 processes and threads were running (raise"
        " sandbox.processes if the work needs more)"
    )
