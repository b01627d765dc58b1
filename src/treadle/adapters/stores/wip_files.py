"""Writes `.treadle/wip`: the working files of a live run, for people to read."""

from collections.abc import Mapping
from pathlib import Path

from treadle.domain.errors import ProjectError
from treadle.domain.ids import RunId


class WipFiles:
    """A projection of the run's log. A file is written only if its content changes, so that calls
    are cheap. Each name is the run's id with a suffix."""

    def __init__(self, folder: Path, history: Path, run: RunId) -> None:
        self._folder = folder
        self._history = history
        self._run = run

    def write(self, texts: Mapping[str, str]) -> None:
        """Write these texts of the run, by suffix, and delete its other files."""
        try:
            _write_files(self._folder, self._file_contents(texts))
            for path in self._existing_files():
                if path.name not in self._file_contents(texts):
                    path.unlink(missing_ok=True)
        except OSError as error:
            raise _write_error(self._folder, error) from error

    def archive(self, texts: Mapping[str, str]) -> None:
        """Write the texts to the run's history, and delete the files in the project."""
        try:
            _write_files(self._history, self._file_contents(texts))
            for path in self._existing_files():
                path.unlink(missing_ok=True)
        except OSError as error:
            raise _write_error(self._history, error) from error

    def _file_contents(self, texts: Mapping[str, str]) -> dict[str, bytes]:
        return {
            f"{self._run}{suffix}": text.encode(errors="replace") for suffix, text in texts.items()
        }

    def _existing_files(self) -> list[Path]:
        return sorted(self._folder.glob(f"{self._run}.*")) if self._folder.is_dir() else []


def _write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    if files:
        folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        if not path.is_symlink() and path.is_file() and path.read_bytes() == content:
            continue
        temporary = folder / f"{name}.new"
        temporary.unlink(missing_ok=True)
        # Exclusive: a link or pipe at that name is neither followed nor opened.
        with temporary.open("xb") as file:
            file.write(content)
        temporary.replace(path)


def _write_error(folder: Path, error: OSError) -> ProjectError:
    return ProjectError(
        f"cannot write {folder}: {error.strerror}",
        hint="make it a directory you can write to, on a disk with free space",
    )
