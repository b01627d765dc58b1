"""A fresh clone needs two commands, and what the machines run is what people run."""

import os
import re
import subprocess
import tomllib

from tests.architecture.repository import ROOT

MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_every_target_says_what_it_does() -> None:
    targets = re.findall(r"^([a-z]+):(.*)$", MAKEFILE, re.M)

    assert [name for name, rest in targets if "## " not in rest] == []


def test_every_target_that_needs_the_environment_makes_it_first() -> None:
    targets = dict(re.findall(r"^([a-z]+):(.*?)##", MAKEFILE, re.M))

    assert [name for name, needs in targets.items() if "setup" not in needs] == ["help", "setup"]


def test_the_checks_of_a_change_are_three_targets_and_nothing_else() -> None:
    path = ROOT / ".ci" / "run"
    lines = [line for line in path.read_text("utf-8").splitlines() if line[:1].isalpha()]

    assert lines[-1] == "make check test demo"
    assert os.access(path, os.X_OK)


def test_the_scripts_are_plain_shell() -> None:
    scripts = sorted((ROOT / "scripts").glob("*.sh"))
    broken = [
        each for each in scripts if subprocess.run(["sh", "-n", each], check=False).returncode
    ]

    assert (len(scripts), broken) == (2, [])


def test_the_promised_versions_of_python_are_the_ones_declared() -> None:
    declared = re.findall(r":: (3\.\d+)", " ".join(PROJECT["classifiers"]))

    assert PROJECT["requires-python"] == f">={declared[0]}"
    assert declared == ["3.11", "3.12", "3.13", "3.14"]
