"""Python projects: uv, pip with a venv, poetry."""

from pathlib import Path

from tests.projects.user_project import UserProject

CRITERION = "`words.py` reads settings from an INI file."
SPEC = f"""\
# Words

- {CRITERION} Check: `{{run}} -c "import words; assert words.names('[a]\\n[b]') == ['a', 'b']"`
"""
OLD_CODE = "def count(text):\n    return len(text.split())\n"
OLD_TEST = "import words\n\n\ndef test_count():\n    assert words.count('a b') == 2\n"
CODE = (
    "import iniconfig\n\n\n"
    "def count(text):\n    return len(text.split())\n\n\n"
    "def names(text):\n"
    "    return [section.name for section in iniconfig.IniConfig('settings', text)]\n"
)
TEST = (
    "import words\n\n\n"
    "def test_count():\n    assert words.count('a b') == 2\n\n\n"
    "def test_names():\n    assert words.names('[x]') == ['x']\n"
)


def test_an_agent_adds_a_dependency_to_a_uv_project(tmp_path: Path) -> None:
    user = UserProject(tmp_path, "uv")
    user.write(
        {
            "SPEC.md": SPEC.format(run="uv run python"),
            "pyproject.toml": '[project]\nname = "words"\nversion = "1.0"\n'
            'requires-python = ">=3.11"\ndependencies = []\n'
            '[dependency-groups]\ndev = ["pytest"]\n',
            ".gitignore": ".venv/\n__pycache__/\n",
            "words.py": OLD_CODE,
            "test_words.py": OLD_TEST,
        }
    )
    user.run_tool("uv", "lock")
    user.commit()
    commands = user.init()
    lock = user.file_made_outside("uv.lock", "uv add iniconfig")

    assert user.doctor().exit_code == 0
    done = user.rehearse(CRITERION, ["uv add iniconfig"], {"words.py": CODE, "test_words.py": TEST})

    assert commands["setup"] == "uv sync"
    assert (done.exit_code, done.result["landed"]) == (0, True), done.stderr
    assert (user.project / "uv.lock").read_text() == lock
