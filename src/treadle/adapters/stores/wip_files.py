"""Writes `.treadle/wip`: the working files of a live run, for people to read."""

from collections.abc import Mapping
from pathlib import Path

from treadle.domain.errors import ProjectError
from treadle.domain.ids import RunId


class WipFiles:
    """A projection of the run's log. What is there is written only if it is to be another, so that
    it can be shown as often as anybody likes. Each name is the run's id with an ending."""

    def __init__(self, folder: Path, history: Path, run: RunId) -> None:
        self._folder = folder
        self._history = history
        self._run = run

    def write(self, wanted: Mapping[str, str]) -> None:
        """Have these files of the run in the project, by their endings, and no others."""
        try:
            _write_files(self._folder, self._file_contents(wanted))
            for path in self._existing_files():
                if path.name not in self._file_contents(wanted):
                    path.unlink(missing_ok=True)
        except OSError as error:
            raise _write_error(self._folder, error) from error

    def archive(self, wanted: Mapping[str, str]) -> None:
        """Move them to where the run's history is kept."""
        try:
            _write_files(self._history, self._file_contents(wanted))
            for path in self._existing_files():
                path.unlink(missing_ok=True)
        except OSError as error:
            raise _write_error(self._history, error) from error

    def _file_contents(self, wanted: Mapping[str, str]) -> dict[str, bytes]:
        return {
            f"{self._run}{ending}": text.encode(errors="replace") for ending, text in wanted.items()
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
        beside = folder / f"{name}.new"
        beside.unlink(missing_ok=True)
        # Exclusive: whatever somebody puts at that name is neither followed nor waited for.
        with beside.open("xb") as opened:
            opened.write(content)
        beside.replace(path)


def _write_error(folder: Path, error: OSError) -> ProjectError:
    return ProjectError(
        f"cannot write {folder}: {error.strerror}",
        hint="make it a directory you can write to, on a disk with room left",
    )
