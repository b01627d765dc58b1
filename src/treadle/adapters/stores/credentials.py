"""Credentials that a person has handed over: one file each, which nobody else may read."""

from pathlib import Path

from treadle.adapters.stores.private_files import PrivateFiles

DIRECTORY = "credentials"


class CredentialFiles(PrivateFiles):
    """The credentials below one root."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, DIRECTORY)
