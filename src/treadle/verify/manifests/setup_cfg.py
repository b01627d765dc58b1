"""Merges setup.cfg: what judges from the base, the metadata from the work. Pure."""

import io
import re
from configparser import Error, RawConfigParser

from treadle.verify.manifests.package_names import (
    is_free_name,
    merge_requirements,
)

_METADATA = re.compile(r"metadata|options(?:\..*)?")
_OPTIONS_OF_BASE = ("cmdclass", "tests_require", "setup_requires", "dependency_links")
_REQUIREMENTS = ("install_requires",)
_ENTRY_POINTS = "options.entry_points"
_EXTRAS = "options.extras_require"
_SCRIPTS = ("console_scripts", "gui_scripts")


def merge_setup_cfg(base: bytes | None, work: bytes) -> bytes | None:
    """None if one of them is not readable."""
    before, after = _load(base or b""), _load(work)
    if before is None or after is None:
        return None
    merged = {name: section for name, section in before.items() if not _METADATA.fullmatch(name)}
    for name, section in after.items():
        if _METADATA.fullmatch(name):
            merged[name] = _merge_section(name, before.get(name, {}), section)
    merged = {name: section for name, section in merged.items() if section}
    if merged == after:
        return work
    if merged == before and base is not None:
        return base
    return _dump(merged)


def _merge_section(name: str, base: dict[str, str], work: dict[str, str]) -> dict[str, str]:
    if name == _ENTRY_POINTS:
        scripts = {key: _free_scripts(work[key]) for key in work if key in _SCRIPTS}
        return {**{key: value for key, value in base.items() if key not in _SCRIPTS}, **scripts}
    merged = {key: value for key, value in work.items() if key not in _OPTIONS_OF_BASE}
    merged |= {key: value for key, value in base.items() if key in _OPTIONS_OF_BASE}
    if name == "metadata" and "name" in base:
        merged["name"] = base["name"]
    for key in merged:
        if name == _EXTRAS or key in _REQUIREMENTS:
            merged[key] = _merge_lines(base.get(key, ""), merged[key])
    return merged


def _merge_lines(base: str, work: str) -> str:
    lines = merge_requirements(_lines(base), _lines(work))
    return work if lines == _lines(work) else "\n".join(["", *lines])


def _free_scripts(text: str) -> str:
    lines = [line for line in _lines(text) if is_free_name(line.partition("=")[0].strip())]
    return text if lines == _lines(text) else "\n".join(["", *lines])


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _load(content: bytes) -> dict[str, dict[str, str]] | None:
    parser = RawConfigParser(strict=False)
    try:
        parser.read_string(content.decode())
    except (Error, ValueError):
        return None
    return {name: dict(parser.items(name)) for name in parser.sections()}


def _dump(sections: dict[str, dict[str, str]]) -> bytes:
    parser = RawConfigParser()
    parser.read_dict(sections)
    text = io.StringIO()
    parser.write(text)
    return text.getvalue().encode()
