"""A project is set up again when its dependencies have changed."""

import os
from pathlib import Path

from treadle.workspace.manifests import setup_fingerprint


def test_the_same_files_and_command_need_the_same(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text("{}")

    assert setup_fingerprint(tmp_path, "npm ci") == setup_fingerprint(tmp_path, "npm ci")
    assert setup_fingerprint(tmp_path, "npm ci") != setup_fingerprint(tmp_path, "npm install")


def test_a_manifest_that_changes_appears_or_moves_needs_something_else(tmp_path: Path) -> None:
    seen = [setup_fingerprint(tmp_path, "x")]
    (tmp_path / "requirements-dev.txt").write_text("tiny")
    seen.append(setup_fingerprint(tmp_path, "x"))
    (tmp_path / "requirements-dev.txt").write_text("tiny==1")
    seen.append(setup_fingerprint(tmp_path, "x"))
    (tmp_path / "server").mkdir()
    (tmp_path / "requirements-dev.txt").rename(tmp_path / "server" / "requirements-dev.txt")
    seen.append(setup_fingerprint(tmp_path, "x"))

    assert len(set(seen)) == 4


def test_code_and_what_was_installed_are_no_manifests(tmp_path: Path) -> None:
    before = setup_fingerprint(tmp_path, "x")
    (tmp_path / "main.py").write_text("print()")
    (tmp_path / "node_modules" / "tiny").mkdir(parents=True)
    (tmp_path / "node_modules" / "tiny" / "package.json").write_text("{}")

    assert setup_fingerprint(tmp_path, "x") == before


def test_a_pipe_or_a_link_under_the_name_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("one")
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    os.mkfifo(workspace / "go.mod")
    (workspace / "package.json").symlink_to(outside)
    before = setup_fingerprint(workspace, "x")
    outside.write_text("two")

    assert setup_fingerprint(workspace, "x") == before
