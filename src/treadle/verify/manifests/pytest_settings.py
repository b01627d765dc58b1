"""Which settings of pytest an agent may add: those that say where the product is. Pure."""

from configparser import Error, RawConfigParser
from typing import Any

from treadle.verify.manifests.package_names import Table

# Folders that are looked through for shadows in any case.
_PRODUCT_FOLDERS = frozenset({"", ".", "src", "lib"})
_MODES = ("auto", "strict")
_SCOPES = ("function", "class", "module", "package", "session")


def harmless_options(options: Table) -> dict[str, Any]:
    """The options that can change no verdict of a test."""
    return {name: value for name, value in options.items() if _is_harmless(name, value)}


def merge_pytest_ini(base: bytes | None, work: bytes) -> bytes | None:
    """The harmless options of an added file; None if there are none, or the base has the file."""
    parser = RawConfigParser()
    try:
        parser.read_string(work.decode())
    except (Error, ValueError):
        return None
    if base is not None or not parser.has_section("pytest"):
        return None
    options = harmless_options(dict(parser.items("pytest")))
    if options == dict(parser.items("pytest")) and parser.sections() == ["pytest"]:
        return work
    lines = [f"{name} = {value}" for name, value in options.items()]
    return "\n".join(["[pytest]", *lines, ""]).encode() if options else None


def _is_harmless(name: str, value: object) -> bool:
    match name:
        case "pythonpath":
            folders = value.split() if isinstance(value, str) else value
            return isinstance(folders, list) and all(
                isinstance(each, str) and each.strip("./") in _PRODUCT_FOLDERS for each in folders
            )
        case "asyncio_mode":
            return value in _MODES
        case "asyncio_default_fixture_loop_scope":
            return value in _SCOPES
        case "minversion":
            return True
        case _:
            return False
