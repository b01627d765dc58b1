"""Makes the project of `treadle demo`."""

from importlib.resources import files
from pathlib import Path

from treadle.domain.errors import ProjectError, UsageError
from treadle.workspace.git import Git

SOURCE = files("treadle.rehearsal") / "demo"
SETTINGS = """\
version = 1

[project]
test = "python3 -m unittest -v"

[deliver]
delay_s = 0.5
"""
IGNORED = "__pycache__/\n.treadle/\n.treadle-notes.md\n"
OWNER = (("user.name", "Demo User"), ("user.email", "demo@example.com"))


def claim_directory(directory: Path) -> None:
    """Make the directory; one that is not empty is refused."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        content = next(directory.iterdir(), None)
    except OSError as error:
        raise UsageError(
            f"cannot use {directory}: {error.strerror}", hint="name a directory you can write to"
        ) from error
    if content is not None:
        raise UsageError(
            f"{directory} is not empty", hint="name a new directory, or remove this one"
        )


def demo_specification() -> str:
    """What the demo builds."""
    return (SOURCE / "SPEC.md").read_text(encoding="utf-8")


def demo_script(directory: Path) -> Path:
    """Write the script of the demo's model beside the project."""
    path = directory / "script.yaml"
    path.write_text((SOURCE / "script.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    return path


async def make_demo_project(project: Path, *, search_path: str) -> Git:
    """The repository, with one commit: the specification."""
    _write_files(project)
    git = Git(project, {"PATH": search_path, "HOME": str(project.parent)})
    await git.run("-c", "init.defaultBranch=main", "init", "--quiet")
    for key, value in OWNER:
        await git.run("config", key, value)
    await git.run("add", "--all")
    await git.run("commit", "--quiet", "--message", "The specification")
    return git


def _write_files(project: Path) -> None:
    texts = {"SPEC.md": demo_specification(), ".gitignore": IGNORED, "treadle.toml": SETTINGS}
    try:
        project.mkdir()
        for name, text in texts.items():
            (project / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ProjectError(
            f"cannot write the sample to {project}: {error.strerror}", hint="free some space there"
        ) from error
