"""Which programs are the project's own: written in it, or made of it by its setup."""

from pathlib import Path

import pytest

from treadle.workspace.project_programs import has_program


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Reached by a link, as a temporary folder may be."""
    folder = tmp_path / "project"
    files = {
        **{"packages/greeter/cli.js": 0o755, "node_modules/jest/cli.js": 0o755},
        **{"scripts/run.py": 0o644, "docs/notes": 0o644, "odd[1]*": 0o755, "cmd/deep/tool": 0o755},
        **{".venv/bin/greet": 0o755, ".venv/bin/pytest": 0o755, "src/greet/cli.py": 0o644},
    }
    for name, mode in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode)
    for name, module in {"greet": "greet.cli", "pytest": "pytest"}.items():
        (folder / ".venv/bin" / name).write_text(f"import sys\nfrom {module} import main\nmain()\n")
    links = {
        "node_modules/greeter": "../packages/greeter",
        "node_modules/.bin/greeter": "../greeter/cli.js",
        "node_modules/.bin/jest": "../jest/cli.js",
        ".venv/bin/python3": "/bin/sh",
        "bin/circle": "circle",
        "bin/gone": "nowhere",
    }
    for name, target in links.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)
    (folder / "target/debug/folder").mkdir(parents=True)
    text = "title() {\n  upper\n}\n  function lower {\n :\n}\n# middle()\nleft_title() { :; }\n"
    (folder / "scripts/case.sh").write_text(text)
    (folder / "docs/case.txt").write_text("center() {\n")
    (tmp_path / "link").symlink_to(folder)
    (tmp_path / "outside").touch(0o755)
    return tmp_path / "link"


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        *(("greet", True), ("greeter", True), ("tool", True), ("odd[1]*", True)),
        *(("pytest", False), ("jest", False), (".venv/bin/pytest", False), ("cli.js", True)),
        *(("run.py", False), ("notes", False), ("folder", False), ("jq", False)),
        *(("python3", False), ("circle", False), ("gone", False), ("g*", False)),
        *(("scripts/run.py", True), ("./cmd/deep/tool", True), ("cmd/deep", False)),
        *((".venv/bin/greet", True), (".venv/bin/python3", False), ("bin/circle", False)),
        *(("../outside", False), ("/bin/sh", False), ("cmd/other", False)),
        *(("", False), (".", False), ("..", False), ("x" * 5000, False), ("a/\0", False)),
        *(("y/" + "x" * 5000, False),),
        # Functions of the shell.
        *(("title", True), ("lower", True), ("upper", False), ("middle", False)),
        *(("center", False), ("t.tle", False), ("low", False)),
    ],
)
def test_a_program_of_the_project_is_known_by_its_name_or_path(
    project: Path, program: str, expected: bool
) -> None:
    assert has_program(project, program) is expected


def test_a_path_from_the_root_leads_into_the_project(project: Path) -> None:
    assert has_program(project, str(project.resolve() / "cmd/deep/tool"))
