"""`treadle init` sets a project up, as often as it is asked to, and spoils nothing."""

import os
import pty
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True, slots=True)
class Ended:
    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Machine:
    """A user with a home, a project, and an environment made from nothing."""

    home: Path
    project: Path

    def environment(self) -> dict[str, str]:
        return {
            "PATH": f"{Path(shutil.which('git') or '').parent}:{os.defpath}",
            "HOME": str(self.home),
            "TERM": "dumb",
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def treadle(self, *arguments: str, stdin: int = subprocess.DEVNULL) -> Ended:
        done = subprocess.run(
            [sys.executable, "-m", "treadle", *arguments],
            cwd=self.project,
            env=self.environment(),
            stdin=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def on_a_terminal(self, *arguments: str, answers: str) -> Ended:
        """The same with somebody at the keyboard who types all answers ahead."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "treadle", *arguments],
            cwd=self.project,
            env=self.environment(),
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=theirs,
            text=True,
        )
        try:
            os.close(theirs)
            os.write(ours, answers.encode())
            talk = read_all(ours)
            out, _ = process.communicate(timeout=60)
        finally:
            os.close(ours)
            if process.poll() is None:
                process.kill()
                process.communicate()
        return Ended(process.returncode, out, talk)

    def files(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.project)): path.read_bytes()
            for path in sorted(self.project.rglob("*"))
            if path.is_file() and ".git" not in path.relative_to(self.project).parts
        }

    def settings(self) -> dict[str, object]:
        return tomllib.loads((self.project / "treadle.toml").read_text())


def read_all(terminal: int) -> str:
    found = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # what a terminal answers once the other side has gone
            piece = b""
        if not piece:
            return found.decode()
        found += piece


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    return Machine(tmp_path / "home", (tmp_path / "project").resolve())


def test_an_empty_directory_becomes_a_project(machine: Machine) -> None:
    ended = machine.treadle("init", "--yes")

    assert ended == Ended(
        0,
        "found   no known language\n"
        "made    a git repository\n"
        "wrote   SPEC.md\n"
        "wrote   treadle.toml\n"
        "wrote   .treadle/treadle.schema.json\n"
        "wrote   .gitignore\n"
        "login   Claude Code has no login\n"
        "        run `treadle auth set anthropic-api-key`, set ANTHROPIC_API_KEY, or log in with"
        " Claude Code's own /login\n"
        "next    replace the example in SPEC.md with what you want built\n"
        "next    treadle deliver\n",
        "",
    )
    assert (machine.project / ".git").is_dir()
    assert sorted(machine.files()) == [
        ".gitignore",
        ".treadle/treadle.schema.json",
        "SPEC.md",
        "treadle.toml",
    ]


def test_what_was_detected_is_written(machine: Machine) -> None:
    (machine.project / "go.mod").touch()
    (machine.project / "SPEC.md").touch()

    ended = machine.treadle("init", "-y")

    assert ended.out.endswith("next    treadle deliver\n")
    assert machine.settings()["project"] == {
        "setup": "go mod download",
        "check": "go vet ./...",
        "test": "go test -v ./...",
    }


def lay_out_two_packages(project: Path) -> None:
    for folder, manifest in (("backend", "go.mod"), ("frontend", "Cargo.toml")):
        (project / folder).mkdir()
        (project / folder / manifest).touch()


def test_packages_without_a_root_are_named_and_joined(machine: Machine) -> None:
    lay_out_two_packages(machine.project)

    ended = machine.treadle("init", "-y")

    assert ended.out.splitlines()[:9] == [
        "found   go in backend",
        "        setup  go mod download",
        "        check  go vet ./...",
        "        test   go test -v ./...",
        "found   rust in frontend",
        "        setup  cargo fetch",
        "        check  cargo check --all-targets",
        "        test   cargo test --no-fail-fast",
        "takes   backend, frontend joined",
    ]
    assert machine.settings()["project"] == {
        "setup": "(cd backend && go mod download) && (cd frontend && cargo fetch)",
        "check": "(cd backend && go vet ./...) && (cd frontend && cargo check --all-targets)",
        "test": "code=0; (cd backend && go test -v ./...) || code=$?;"
        " (cd frontend && cargo test --no-fail-fast) || code=$?; exit $code",
    }


def test_the_tests_of_the_root_are_taken_and_other_packages_named(machine: Machine) -> None:
    (machine.project / "go.mod").touch()
    lay_out_two_packages(machine.project)

    ended = machine.treadle("init", "-y")

    assert "takes   the root alone\n        not backend, frontend: join" in ended.out
    assert machine.settings()["project"] == {
        "setup": "go mod download",
        "check": "go vet ./...",
        "test": "go test -v ./...",
    }


def test_a_person_chooses_the_packages(machine: Machine) -> None:
    lay_out_two_packages(machine.project)

    ended = machine.on_a_terminal("init", answers="y\nfront\nfrontend\n" + "\n" * 8)

    assert ended.code == 0, ended.err
    assert "front was not found; choose from: backend, frontend" in ended.err
    assert machine.settings()["project"] == {
        "setup": "(cd frontend && cargo fetch)",
        "check": "(cd frontend && cargo check --all-targets)",
        "test": "(cd frontend && cargo test --no-fail-fast)",
    }
    assert "target/\n" in machine.files()[".gitignore"].decode()


def test_a_second_time_changes_nothing(machine: Machine) -> None:
    (machine.project / "go.mod").touch()
    (machine.project / ".gitignore").write_bytes(b"\xff\nbuild")
    machine.treadle("init", "--yes")
    before = machine.files()

    ended = machine.treadle("init", "--yes")

    assert "kept    treadle.toml and the rest: nothing has changed\n" in ended.out
    assert machine.files() == before
    assert before[".gitignore"].startswith(b"\xff\nbuild\n\n# Files that Treadle writes")


def test_a_users_own_settings_stay_as_written(machine: Machine) -> None:
    text = "# ours\n[project]\ntest = 'mine'   # keep\n"
    (machine.project / "treadle.toml").write_text(text)
    (machine.project / "Cargo.toml").touch()

    machine.treadle("init", "--yes")

    assert machine.files()["treadle.toml"].decode() == (
        text + 'setup = "cargo fetch"\ncheck = "cargo check --all-targets"\n'
    )


def test_without_a_terminal_it_must_be_told_yes(machine: Machine) -> None:
    assert machine.treadle("init") == Ended(
        2,
        "",
        "treadle: init asks questions, but there is no terminal\n"
        "  hint: pass --yes to take what is detected: treadle init --yes\n",
    )
    assert machine.files() == {}


def test_a_broken_file_is_left_alone_with_all_others(machine: Machine) -> None:
    (machine.project / "treadle.toml").write_text("[limits]\nmax_cost = 5\n")
    before = machine.files()

    ended = machine.treadle("init", "--yes")

    assert ended == Ended(
        2,
        "",
        "treadle: treadle.toml:2: limits.max_cost: unknown key\n"
        "  hint: did you mean limits.max_cost_usd?\n",
    )
    assert machine.files() == before
    assert not (machine.project / ".git").exists()


def test_a_folder_of_a_repository_is_no_project_of_its_own(machine: Machine) -> None:
    machine.treadle("init", "--yes")
    (machine.project / "part").mkdir()
    (machine.project / "treadle.toml").unlink()

    ended = machine.treadle("init", "--yes", "-p", "part")

    assert (ended.code, ended.out.splitlines()[:2]) == (
        0,
        [
            f"project {machine.project}",
            "        part is part of it; treadle.toml belongs in the root",
        ],
    )
    assert (machine.project / "treadle.toml").is_file()
    assert list((machine.project / "part").iterdir()) == []


def test_the_specification_is_the_first_question_then_setup_and_tests(machine: Machine) -> None:
    ended = machine.on_a_terminal("init", answers="n\n" + "\n" * 6)

    questions = ("what to build", "prepares a fresh checkout", "runs the tests", "US dollars")
    places = [ended.err.find(question) for question in questions]
    assert places == sorted(places)
    assert places[0] >= 0


def test_what_cannot_be_written_is_said_in_one_line(machine: Machine) -> None:
    (machine.project / ".treadle").write_text("a file where a folder should be")

    ended = machine.treadle("init", "--yes")

    assert ended.code == 1
    assert "treadle: cannot read " in ended.err
    assert "Traceback" not in ended.err


def test_answers_on_a_terminal_are_written(machine: Machine) -> None:
    (machine.project / "go.mod").touch()

    ended = machine.on_a_terminal(
        "init", answers="y\ndocs/search.md\n-\nmake test\n\nnothing\n2.5\n7\n"
    )

    assert ended.code == 0, ended.err
    assert 'expected a number, got "nothing"' in ended.err
    assert (machine.project / ".git").is_dir()
    assert machine.settings() == {
        "version": 1,
        "project": {"spec": "docs/search.md", "check": "go vet ./...", "test": "make test"},
        "limits": {"max_cost_usd": 2.5, "max_minutes": 7.0},
        "verify": {},
        "agent": {},
    }
    assert (machine.project / "docs/search.md").is_file()


def test_return_keeps_what_is_set(machine: Machine) -> None:
    (machine.project / "treadle.toml").write_text("[limits]\nmax_cost_usd = 2.5 # enough\n")
    machine.treadle("init", "--yes")
    before = machine.files()

    ended = machine.on_a_terminal("init", answers="\n" * 6)

    assert "Maximum US dollars per run [2.5]:" in ended.err
    assert machine.files() == before


def test_a_refused_repository_is_not_made(machine: Machine) -> None:
    ended = machine.on_a_terminal("init", answers="n\n" + "\n" * 8)

    assert "next    git init  # Treadle needs a git repository\n" in ended.out
    assert not (machine.project / ".git").exists()


def test_an_end_of_the_talk_leaves_everything_as_it_was(machine: Machine) -> None:
    ended = machine.on_a_terminal("init", answers="y\n\x04")

    assert ended.code == 130
    assert machine.files() == {}
    assert not (machine.project / ".git").exists()


def test_the_settings_in_force_are_shown_with_their_origin(machine: Machine) -> None:
    (machine.project / "treadle.toml").write_text('land = "never"\n')

    ended = machine.treadle("config", "show")

    assert ended.code == 0
    # In columns, which are as wide as the longest name.
    lines = ended.out.splitlines()
    assert [" ".join(line.split()) for line in lines[:3]] == [
        "version 1 default",
        'land "never" treadle.toml:1',
        "land_ask_deletions 20 default",
    ]
    assert len({line.index("default") for line in lines if line.endswith("default")}) == 1


def test_the_schema_is_printed_as_init_writes_it(machine: Machine) -> None:
    machine.treadle("init", "--yes")

    ended = machine.treadle("config", "schema")

    assert ended.out.encode() == machine.files()[".treadle/treadle.schema.json"]


def with_ignored_files(machine: Machine) -> None:
    subprocess.run(["git", "init", "-q"], cwd=machine.project, check=True)
    (machine.project / ".gitignore").write_text(".env.test\nlocal.json\nnode_modules/\n")
    for name in (".env.test", "local.json", "SPEC.md"):
        (machine.project / name).touch()


def test_ignored_files_that_tests_may_need_are_offered_and_then_trusted(machine: Machine) -> None:
    with_ignored_files(machine)

    ended = machine.on_a_terminal("init", answers="\n" * 20)

    asked = "Git ignores .env.test, local.json. Let setup, checks and tests (not the agent) read"
    assert asked in " ".join(ended.err.split())
    assert machine.settings()["workspace"] == {"include": [".env.test", "local.json"]}
    assert machine.treadle("trust").err == "You have accepted all of it.\n"
    assert asked not in machine.on_a_terminal("init", answers="\n" * 20).err


def test_without_anybody_to_ask_they_are_only_named(machine: Machine) -> None:
    with_ignored_files(machine)

    ended = machine.treadle("init", "--yes")

    named = "found   .env.test, local.json, which git ignores: see workspace.include if tests need"
    assert named in ended.out
    assert "workspace" not in machine.settings()
