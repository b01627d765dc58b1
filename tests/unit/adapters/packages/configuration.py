"""A user's configuration for tests: files below `/home/ada`, and variables."""

from collections.abc import Mapping
from pathlib import Path

from treadle.adapters.packages.user_configuration import UserConfiguration

HOME = "/home/ada"
ADA = "Basic YWRhOmh1bnRlcjI="


def configured(
    files: Mapping[str, str] | None = None, variables: Mapping[str, str] | None = None
) -> UserConfiguration:
    texts = {Path(HOME, path): text for path, text in (files or {}).items()}
    return UserConfiguration({"HOME": HOME, **(variables or {})}, lambda path: texts.get(path, ""))
