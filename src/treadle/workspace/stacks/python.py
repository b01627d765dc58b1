"""Setup, check and test commands of a Python project. Pure.

Packages go into an environment of the project: Debian, Ubuntu and others refuse to install into the
system's Python (PEP 668).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treadle.workspace.stacks.project_listing import ProjectListing
from treadle.workspace.stacks.stack import Stack, chain, table

REQUIREMENTS = (
    "requirements.txt",
    "requirements/base.txt",
    "requirements-dev.txt",
    "requirements/dev.txt",
    "requirements-test.txt",
    "requirements/test.txt",
    "dev-requirements.txt",
)
# Names of extras and groups that checks and tests need.
_DEVELOPMENT = ("dev", "develop", "test", "tests", "testing", "lint", "typing")
_SYSTEM = "python3 -m "
_VENV = ".venv/bin/python -m "
_IGNORED = (".venv/", "__pycache__/")


@dataclass(frozen=True, slots=True)
class _Tools:
    """The programs that the commands start, and which of them no manifest asks for."""

    names: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Installation:
    """How the project is installed, and how a program of its environment is started."""

    setup: str
    run: str
    ignored: tuple[str, ...] = ()
    # Precedes a Python module.
    module: str = ""
    # Whether a program that no manifest asks for is fetched when it runs.
    fetches: bool = False

    def command(self, tool: str, options: str, tools: _Tools) -> str:
        with_tool = f"--with {tool} " if self.fetches and tool in tools.missing else ""
        return f"{self.run}{with_tool}{tool}{options}" if tool in tools.names else ""


def python(files: ProjectListing) -> Stack | None:
    has_manifest = files.has(
        "pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "requirements.txt"
    )
    if not has_manifest and not any(name.endswith(".py") for name in files.names):
        return None
    settings = files.toml("pyproject.toml")
    tools = _tools(files, settings)
    installed = _installation(files, settings, tools)
    mypy = table(settings, "tool", "mypy")
    check = chain(
        installed.command("ruff", " check .", tools),
        installed.command("mypy", "" if "files" in mypy or "packages" in mypy else " .", tools),
        installed.command("flake8", "", tools),
    )
    test = installed.command("pytest", "", tools) or _unittest(files, installed)
    run = 'PATH="$PWD/.venv/bin:$PATH" ' if installed.run == _VENV else installed.run
    ignored = installed.ignored if installed.setup else ()
    return Stack(
        "python", installed.setup, check, test, ignored, "" if installed.run == _SYSTEM else run
    )


def _installation(
    files: ProjectListing, settings: Mapping[str, Any], tools: _Tools
) -> _Installation:
    config = table(settings, "tool")
    if files.has("uv.lock") or "uv" in config:
        module = "uv run python -m "
        return _Installation(_uv_sync(settings), "uv run ", _IGNORED, module, fetches=True)
    if files.has("poetry.lock") or "poetry" in config:
        setup = chain(_poetry_install(files, settings), _poetry_add(tools))
        return _Installation(setup, "poetry run ", _IGNORED, "poetry run python -m ")
    if files.has("pdm.lock") or "pdm" in config:
        return _Installation("pdm install", "pdm run ", _IGNORED, "pdm run python -m ")
    if files.has("Pipfile"):
        return _Installation(
            "pipenv install --dev", "pipenv run ", _IGNORED, "pipenv run python -m "
        )
    if "dependencies" in table(config, "hatch", "envs", "default"):
        return _Installation("hatch env create", "hatch run ", _IGNORED, "hatch run python -m ")
    if setup := _venv(files, settings, tools):
        # An editable install may leave its metadata beside the code.
        return _Installation(setup, _VENV, (*_IGNORED, "*.egg-info/"), _VENV)
    return _Installation("", _SYSTEM, module=_SYSTEM)


def _uv_sync(settings: Mapping[str, Any]) -> str:
    uv = table(settings, "tool", "uv")
    default = uv.get("default-groups", ["dev"])
    groups = [] if default == "all" else [n for n in _groups(settings) if n not in default]
    every_package = " --all-packages" if "workspace" in uv else ""
    extras = "".join(f" --extra {name}" for name in _extras(settings))
    return f"uv sync{every_package}{extras}" + "".join(f" --group {name}" for name in groups)


def _poetry_install(files: ProjectListing, settings: Mapping[str, Any]) -> str:
    poetry = table(settings, "tool", "poetry")
    groups = table(poetry, "group")
    optional = [n for n in _DEVELOPMENT if table(groups, n).get("optional") is True]
    extras = _chosen({**table(settings, "project", "optional-dependencies"), **_extras_of(poetry)})
    install = "poetry install"
    if not _has_package(files, poetry, settings):
        install += " --no-root"
    install += "".join(f" --with {name}" for name in optional)
    install += "".join(f" --extras {name}" for name in extras)
    # It refuses a lock file that does not match a changed manifest.
    return f"{install} || (poetry lock && {install})" if files.has("poetry.lock") else install


def _poetry_add(tools: _Tools) -> str:
    return f"poetry run pip install {' '.join(tools.missing)}" if tools.missing else ""


def _has_package(
    files: ProjectListing, poetry: Mapping[str, Any], settings: Mapping[str, Any]
) -> bool:
    """Whether there is something for Poetry to install besides the dependencies."""
    name = str(table(settings, "project").get("name") or poetry.get("name") or "")
    name = re.sub(r"[-.]+", "_", name)
    return "packages" in poetry or files.has("src/", f"{name}/", f"{name}.py", "setup.py")


def _venv(files: ProjectListing, settings: Mapping[str, Any], tools: _Tools) -> str:
    wanted = [f"-r {name}" for name in REQUIREMENTS if files.has(name)]
    groups: Sequence[str] = ()
    if "project" in settings or "build-system" in settings or files.has("setup.py"):
        extras = ",".join(_chosen({**_declared_extras(settings), **_legacy_extras(files)}))
        wanted.append(f"-e '.[{extras}]'" if extras else "-e .")
        groups = _groups(settings)
    wanted += [*(f"--group {name}" for name in groups), *tools.missing]
    if not wanted:
        return ""
    # Groups need pip 25.1, and a new environment has the version of its Python.
    newest = " --upgrade-deps" if groups else ""
    return f"python3 -m venv{newest} .venv && .venv/bin/pip install {' '.join(wanted)}"


def _tools(files: ProjectListing, settings: Mapping[str, Any]) -> _Tools:
    config = table(settings, "tool")
    needed = {
        "ruff": "ruff" in config or files.has("ruff.toml", ".ruff.toml"),
        "mypy": "mypy" in config or files.has("mypy.ini", ".mypy.ini"),
        "flake8": files.has(".flake8"),
        "pytest": _uses_pytest(files, settings),
    }
    names = tuple(name for name, is_needed in needed.items() if is_needed)
    asked_for = _requirements(files, settings)
    missing = tuple(name for name in names if not re.search(rf"\b{name}\b", asked_for))
    return _Tools(names, missing)


def _uses_pytest(files: ProjectListing, settings: Mapping[str, Any]) -> bool:
    code = files.text(*(name for name in files.texts if _is_test(name)))
    names = ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "Pipfile", *REQUIREMENTS)
    manifests = files.text(*names)
    return bool(
        files.has("pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py")
        or "pytest" in table(settings, "tool")
        or "pytest" in manifests
        or re.search(r"^(?:async )?def test_|^import pytest|^from pytest", code, re.MULTILINE)
    )


def _unittest(files: ProjectListing, installed: _Installation) -> str:
    tests = [name for name in files.texts if _is_test(name)]
    if "unittest" not in files.text(*tests):
        return ""
    folders = [folder for folder in ("tests", "test") if any(t.startswith(folder) for t in tests)]
    packages = [folder for folder in folders if files.has(f"{folder}/")]
    start = f" -s {packages[0]}" if packages else ""
    # Only with -v does it name the tests that pass.
    return f"{installed.module}unittest discover -v{start}"


def _is_test(name: str) -> bool:
    return name.endswith(".py") and name != "setup.py"


def _requirements(files: ProjectListing, settings: Mapping[str, Any]) -> str:
    """The text of all that the installation asks for."""
    project, config = table(settings, "project"), table(settings, "tool")
    extras, groups = table(project, "optional-dependencies"), table(settings, "dependency-groups")
    poetry = table(config, "poetry")
    poetry_groups = [table(group, "dependencies") for group in _tables(table(poetry, "group"))]
    lists = (
        project.get("dependencies"),
        *(extras[name] for name in _extras(settings)),
        *(groups[name] for name in _groups(settings)),
        *table(config, "pdm", "dev-dependencies").values(),
        table(config, "uv").get("dev-dependencies"),
        table(config, "hatch", "envs", "default").get("dependencies"),
        *(list(names) for names in (poetry.get("dependencies", ()), *poetry_groups)),
        list(poetry.get("dev-dependencies", ())),
    )
    named = (str(item) for each in lists if isinstance(each, list) for item in each)
    return "\n".join([*named, files.text("setup.py", "setup.cfg", "Pipfile", *REQUIREMENTS)])


def _tables(groups: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    return (group for group in groups.values() if isinstance(group, Mapping))


def _groups(settings: Mapping[str, Any]) -> list[str]:
    return _chosen(table(settings, "dependency-groups"))


def _extras(settings: Mapping[str, Any]) -> list[str]:
    return _chosen(_declared_extras(settings))


def _declared_extras(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    return table(settings, "project", "optional-dependencies")


def _extras_of(poetry: Mapping[str, Any]) -> Mapping[str, Any]:
    return table(poetry, "extras")


def _legacy_extras(files: ProjectListing) -> dict[str, str]:
    """The names of extras in setup.py and setup.cfg, which no parser without side effects reads."""
    _, _, code = files.text("setup.py").partition("extras_require")
    _, _, config = files.text("setup.cfg").partition("[options.extras_require]")
    section = config.partition("\n[")[0]
    names = re.findall(r"['\"](\w+)['\"]\s*:", code)
    return dict.fromkeys([*names, *re.findall(r"^(\w+)\s*=", section, re.MULTILINE)], "")


def _chosen(names: Mapping[str, Any]) -> list[str]:
    return [name for name in _DEVELOPMENT if name in names]
