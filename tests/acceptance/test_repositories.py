"""Repositories as people have them: partial and sparse, with submodules and LFS, at any path."""

import hashlib
import os
import shutil
from pathlib import Path

from tests.acceptance.harness import BUILD_IT, ONE_DELIVERABLE, CommandHarness, assert_sound, script
from tests.missing import missing

IMAGE = b"image" * 1000


def write_and_commit(harness: CommandHarness, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = harness.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "Files")


def clone_partially(harness: CommandHarness) -> None:
    """The project becomes a partial and sparse clone of what it was."""
    harness.git("config", "uploadpack.allowFilter", "true")
    upstream = harness.directory / "upstream"
    harness.project.rename(upstream)
    project, harness.project = harness.project, harness.directory
    harness.git(
        *("clone", "-q", "--filter=blob:none", "--sparse"),
        *(f"file://{upstream}", str(project)),
    )
    harness.project = project
    harness.git("sparse-checkout", "set", "app")


def warnings(finished_events: list[dict[str, object]]) -> list[str]:
    return [str(event["message"]) for event in finished_events]


def test_a_partial_and_sparse_clone_gets_its_work_and_stays_sparse(
    harness: CommandHarness,
) -> None:
    write_and_commit(harness, {"app/a.txt": "a\n", "lib/b.txt": "b\n"})
    clone_partially(harness)
    work = BUILD_IT.replace("hello.txt,", "lib/hello.txt,")

    finished = harness.deliver(
        script(ONE_DELIVERABLE, work), settings={"project.test": '"cat lib/b.txt"'}
    )

    assert finished.exit_code == 0
    told = warnings(finished.of_type("run.warned"))
    assert told[0].startswith("this clone is partial: 1 object of ")
    assert [suite["output"] for suite in finished.of_type("suite.finished")] == ["b\n"] * 2
    assert harness.git("show", "HEAD:lib/hello.txt") == "hello"
    assert not (harness.project / "lib").exists()
    assert harness.git("status", "--porcelain") == ""
    assert harness.git("sparse-checkout", "list") == "app"
    assert_sound(harness, finished)


def test_submodules_and_lfs_files_are_there_as_far_as_the_checkout_has_them(
    harness: CommandHarness,
) -> None:
    with (harness.home / ".gitconfig").open("a") as config:
        config.write('[protocol "file"]\n\tallow = always\n')
    library = CommandHarness(harness.directory / "library").project
    oid = hashlib.sha256(IMAGE).hexdigest()
    harness.git("submodule", "--quiet", "add", str(library), "libs/here")
    harness.git("submodule", "--quiet", "add", str(library), "libs/gone")
    spec = "version https://git-lfs.github.com/spec/v1"
    write_and_commit(
        harness,
        {
            ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
            "here.bin": f"{spec}\noid sha256:{oid}\nsize {len(IMAGE)}\n",
            "gone.bin": f"{spec}\noid sha256:{'0' * 64}\nsize 7\n",
        },
    )
    harness.git("submodule", "--quiet", "deinit", "--force", "libs/gone")
    stored = harness.project / ".git/lfs/objects" / oid[:2] / oid[2:4] / oid
    stored.parent.mkdir(parents=True)
    stored.write_bytes(IMAGE)
    look = "      - {tool: Bash, input: {command: ls libs/here libs/gone}}\n"

    finished = harness.deliver(
        script(ONE_DELIVERABLE, BUILD_IT.replace("    turns:\n", "    turns:\n" + look)),
        settings={"project.test": '"ls libs/here libs/gone && wc -c < here.bin"'},
    )

    assert finished.exit_code == 0
    assert warnings(finished.of_type("run.warned"))[:4] == [
        "submodules can be read and run (libs/here); what an agent changes in them is not"
        " committed",
        "submodules are empty in the run, because you have not checked them out (libs/gone):"
        " `git submodule update --init --recursive`, then start again",
        "files of Git LFS are pointers for the agent (here.bin); checks and tests have their"
        " content",
        "files of Git LFS are pointers in the run, because they are not downloaded (gone.bin):"
        " `git lfs pull`, then start again",
    ]
    listing = "libs/gone:\n\nlibs/here:\nSPEC.md\n"
    assert finished.of_type("tool.finished")[1]["output"] == listing.rstrip()
    assert [suite["output"] for suite in finished.of_type("suite.finished")] == [
        f"{listing}{len(IMAGE)}\n"
    ] * 2
    assert harness.git("status", "--porcelain") == ""
    assert_sound(harness, finished)


def test_a_project_at_a_path_of_any_bytes_is_delivered_and_verified(
    harness: CommandHarness,
) -> None:
    moved = harness.directory / os.fsdecode(b"caf\xe9 \xff")
    harness.project.rename(moved)
    harness.project = moved

    finished = harness.deliver(
        script(ONE_DELIVERABLE, BUILD_IT), settings={"project.test": '"true"'}
    )

    assert finished.exit_code == 0
    address = f"file://{harness.directory}/caf%E9%20%FF"
    assert finished.events[0]["project"] == address
    assert harness.git("show", "HEAD:hello.txt") == "hello"
    for command in (["verify"], ["show"], ["diff"], ["status", "--json"], ["clean", "--dry-run"]):
        assert harness.treadle(*command).exit_code == 0, command
    assert_sound(harness, finished)
    assert harness.treadle("land").stdout.endswith(f" in {address}\n")


def test_a_read_only_repository_is_refused_in_one_line_before_there_is_a_run(
    harness: CommandHarness,
) -> None:
    program = shutil.which("bwrap")
    if program is None:
        missing("bubblewrap")
    path = harness.directory / "script.yaml"
    path.write_text(script(ONE_DELIVERABLE, BUILD_IT))
    starter = [program, "--dev-bind", "/", "/", "--ro-bind", *[str(harness.project)] * 2]

    refused = harness.behind(starter, "rehearse", str(path), "--", "deliver")

    git_dir = harness.project / ".git"
    assert (refused.exit_code, refused.stdout, refused.stderr) == (
        1,
        "",
        f"treadle: {git_dir} cannot be written, and a run keeps its work there\n"
        "  hint: work in your own clone, or check its permissions with `ls -ld`\n",
    )
    assert not (harness.root / "runs").exists()


def test_an_empty_specification_is_refused(harness: CommandHarness) -> None:
    write_and_commit(harness, {"SPEC.md": ""})

    finished = harness.deliver(script(ONE_DELIVERABLE, BUILD_IT))

    assert (finished.exit_code, finished.stderr) == (
        2,
        "treadle: SPEC.md is empty\n  hint: write what you want built, one item per line\n",
    )


def test_a_very_long_specification_is_warned_about(harness: CommandHarness) -> None:
    write_and_commit(harness, {"SPEC.md": "x" * 1_000_000})

    finished = harness.deliver(script(ONE_DELIVERABLE, BUILD_IT))

    assert finished.exit_code == 0
    assert warnings(finished.of_type("run.warned"))[0].startswith("SPEC.md has 1,000,000")


def test_a_project_path_is_kept_as_it_is_if_it_is_text(tmp_path: Path) -> None:
    harness = CommandHarness(tmp_path / "Grüße & more")

    finished = harness.deliver(script(ONE_DELIVERABLE, BUILD_IT))

    assert (finished.exit_code, finished.events[0]["project"]) == (0, str(harness.project))
