"""The `treadle` command. `--version` is answered before anything else is imported."""

import sys
import types
from os import environ, pathsep  # noqa: TID251  what Python itself has read already
from os.path import abspath, dirname


def main() -> None:
    if sys.argv[1:] in (["--version"], ["-V"]):
        from treadle._version import __version__

        sys.stdout.write(f"treadle {__version__}\n")
        return
    remove_foreign_paths(sys.path, environ.get("PYTHONPATH", ""))
    leave_out_plugins(sys.modules)
    from treadle.cli.main import run

    sys.exit(run(sys.argv[1:]))


def remove_foreign_paths(search_path: list[str], python_path: str) -> None:
    """Keep modules of a project from being imported in the place of ours: PYTHONPATH and the
    current directory are the project's, unless Treadle itself is found there."""
    own = dirname(dirname(abspath(__file__)))  # noqa: PTH100, PTH120  pathlib would be imported
    try:
        foreign = {abspath(each) for each in ("", *python_path.split(pathsep))} - {own}  # noqa: PTH100
        search_path[:] = [each for each in search_path if abspath(each) not in foreign]  # noqa: PTH100
    except OSError:
        return  # the current directory is gone, and nothing can be found in it


def leave_out_plugins(modules: dict[str, types.ModuleType]) -> None:
    """Keep pydantic from reading the metadata of all installed packages to find plugins, and from
    running those: that takes a tenth of a short command."""
    name = "pydantic.plugin._loader"
    loader = types.ModuleType(name)
    vars(loader)["get_plugins"] = tuple
    modules.setdefault(name, loader)


if __name__ == "__main__":
    main()
