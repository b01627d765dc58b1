"""Decides which paths no setting can open: credentials, startup files, programs. Pure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from treadle.adapters.sandboxes.mounts import START_FILES, START_FOLDERS
from treadle.adapters.sandboxes.toolchains import contains_private, is_within

# The machine's own: secrets, devices, and the sockets of its services.
MACHINE_PATHS = (
    *("/etc", "/run", "/var/run", "/dev", "/proc", "/sys", "/boot", "/root", "/var/lib/docker"),
    *("/private/etc", "/private/var/run"),
)
# Shared by all users and their sockets. A directory inside may be opened, but not these.
SHARED_PATHS = (Path("/tmp"), Path("/var/tmp"))  # noqa: S108
# Below the home: credentials.
SECRET_PATHS = (
    *(".ssh", ".aws", ".azure", ".gnupg", ".config", ".claude", ".claude.json", ".codex", ".kube"),
    *(".docker", ".netrc", ".git-credentials", ".npmrc", ".yarnrc.yml", ".pypirc", ".pgpass"),
    *(".password-store", ".vault-token", ".terraform.d", ".terraformrc", ".s3cfg", ".boto"),
    *(".local/share/keyrings", ".local/share/kwalletd", ".mozilla", ".thunderbird", "Library"),
    *(".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".composer/auth.json"),
    *(".m2/settings.xml", ".gradle/gradle.properties", ".pki", ".my.cnf", ".Xauthority"),
)
# Below the home: what shells, git and editors read when the user starts them.
STARTUP_PATHS = (
    *START_FILES,
    *START_FOLDERS,
    *(".bash_login", ".bash_aliases", ".inputrc", ".cshrc", ".tcshrc", ".login", ".kshrc"),
    *(".zsh", ".oh-my-zsh", ".xinitrc", ".xprofile", ".xsession", ".xsessionrc"),
    *(".pam_environment", ".tmux.conf", ".screenrc", ".hgrc", ".vimrc", ".vim", ".emacs"),
    *(".emacs.d", ".vscode", ".vscode-server", ".gdbinit", ".pythonrc", ".bundle"),
)
# Below the home: programs, and what decides which program runs. Reading them is harmless.
PROGRAM_PATHS = (
    *("bin", ".local/bin", ".local/lib", ".cargo/bin", ".cargo/env", ".cargo/config"),
    *(".cargo/config.toml", ".rustup", ".pyenv", ".rbenv", ".nvm", ".volta", ".asdf", ".bun"),
    *(".deno", "go/bin", ".local/share/applications", ".local/share/systemd"),
)

# A reason, and the paths that it applies to.
ReservedGroup: TypeAlias = tuple[str, tuple[Path, ...]]


@dataclass(frozen=True, slots=True)
class ReservedPaths:
    """The paths of this machine that matter; `real` follows links."""

    home: Path
    root: Path
    project: Path
    search_path: tuple[Path, ...]
    real: Callable[[Path], Path]
    # Directories of logins that a variable has moved.
    logins: tuple[Path, ...] = ()

    def why_reserved(self, path: Path, *, written: bool) -> str:
        """The reason why this path stays closed, as the end of a sentence; empty if it may be
        opened."""
        names = self._with_link_targets((path,))
        for reason, others in (
            *self._closed_upwards(),
            *(self._closed_upwards_to_write() if written else ()),
        ):
            if any(contains_private(name, others) for name in names):
                return reason
        for reason, others in (*self._closed(), *(self._closed_to_write() if written else ())):
            if any(_overlaps(name, others) for name in names):
                return reason
        return ""

    def _closed_upwards(self) -> tuple[ReservedGroup, ...]:
        """These paths and what is above them, but not what is below them."""
        return (
            (
                "would show your home or Treadle's own directory",
                self._with_link_targets((self.home,)),
            ),
            ("is shared by everybody on this machine", self._with_link_targets(SHARED_PATHS)),
        )

    def _closed_upwards_to_write(self) -> tuple[ReservedGroup, ...]:
        reason = "contains the project, of which the agent has a clone"
        return ((reason, self._with_link_targets((self.project,))),)

    def _closed(self) -> tuple[ReservedGroup, ...]:
        """These paths, what is above them and what is below them."""
        credentials = "has logins, or settings that your programs obey"
        return (
            (
                "would show your home or Treadle's own directory",
                self._with_link_targets((self.root,)),
            ),
            ("belongs to the system", self._machine_paths()),
            (credentials, self._below_home((*SECRET_PATHS, *STARTUP_PATHS))),
            (credentials, self._with_link_targets(self.logins)),
        )

    def _closed_to_write(self) -> tuple[ReservedGroup, ...]:
        programs = (*self._with_link_targets(self.search_path), *self._below_home(PROGRAM_PATHS))
        return (
            ("has programs that you run, or decides which ones run", programs),
            ("is the project's own repository", self._with_link_targets((self.project / ".git",))),
        )

    def _machine_paths(self) -> tuple[Path, ...]:
        """Without those that contain the home: they would close the whole home."""
        homes = self._with_link_targets((self.home,))
        paths = self._with_link_targets(Path(path) for path in MACHINE_PATHS)
        return tuple(path for path in paths if not any(is_within(home, path) for home in homes))

    def _below_home(self, names: Iterable[str]) -> tuple[Path, ...]:
        return self._with_link_targets(self.home / name for name in names)

    def _with_link_targets(self, paths: Iterable[Path]) -> tuple[Path, ...]:
        """Each path, and where its links lead."""
        names = (name for path in paths for name in (path, self.real(path)))
        return tuple(dict.fromkeys(names))


def _overlaps(path: Path, others: Iterable[Path]) -> bool:
    """Whether the path is one of the others, is below one, or has one below it."""
    return any(is_within(path, other) or is_within(other, path) for other in others)
