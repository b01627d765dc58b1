"""Paths that no setting can open, whoever wrote it: what they hold opens all the rest. Pure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from treadle.adapters.sandboxes.mounts import START_FILES, START_FOLDERS
from treadle.adapters.sandboxes.toolchains import holds_private, lies_in

# The machine's own: secrets, devices, and the sockets of its services.
MACHINE = (
    *("/etc", "/run", "/var/run", "/dev", "/proc", "/sys", "/boot", "/root", "/var/lib/docker"),
    *("/private/etc", "/private/var/run"),
)
# Many have something in these, sockets among them; one directory in them may be opened.
SHARED = (Path("/tmp"), Path("/var/tmp"))  # noqa: S108
# Below the home: what logs in elsewhere in the user's name.
SECRETS = (
    *(".ssh", ".aws", ".azure", ".gnupg", ".config", ".claude", ".claude.json", ".codex", ".kube"),
    *(".docker", ".netrc", ".git-credentials", ".npmrc", ".yarnrc.yml", ".pypirc", ".pgpass"),
    *(".password-store", ".vault-token", ".terraform.d", ".terraformrc", ".s3cfg", ".boto"),
    *(".local/share/keyrings", ".local/share/kwalletd", ".mozilla", ".thunderbird", "Library"),
    *(".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".composer/auth.json"),
    *(".m2/settings.xml", ".gradle/gradle.properties", ".pki", ".my.cnf", ".Xauthority"),
)
# Below the home: what shells, git and editors obey when the user starts them.
STARTS = (
    *START_FILES,
    *START_FOLDERS,
    *(".bash_login", ".bash_aliases", ".inputrc", ".cshrc", ".tcshrc", ".login", ".kshrc"),
    *(".zsh", ".oh-my-zsh", ".xinitrc", ".xprofile", ".xsession", ".xsessionrc"),
    *(".pam_environment", ".tmux.conf", ".screenrc", ".hgrc", ".vimrc", ".vim", ".emacs"),
    *(".emacs.d", ".vscode", ".vscode-server", ".gdbinit", ".pythonrc", ".bundle"),
)
# Below the home: programs, and what decides which program is run. Reading them is harmless.
PROGRAMS = (
    *("bin", ".local/bin", ".local/lib", ".cargo/bin", ".cargo/env", ".cargo/config"),
    *(".cargo/config.toml", ".rustup", ".pyenv", ".rbenv", ".nvm", ".volta", ".asdf", ".bun"),
    *(".deno", "go/bin", ".local/share/applications", ".local/share/systemd"),
)


# Why, and what.
Reserved: TypeAlias = tuple[str, tuple[Path, ...]]


@dataclass(frozen=True, slots=True)
class Machine:
    """Where things are on this machine; `real` follows links."""

    home: Path
    root: Path
    project: Path
    search_path: tuple[Path, ...]
    real: Callable[[Path], Path]

    def reserved(self, path: Path, *, written: bool) -> str:
        """Why this path stays closed, as the end of a sentence; empty if it may be opened."""
        names = self._names((path,))
        for reason, others in (*self._wide(), *(self._wide_to_write() if written else ())):
            if any(holds_private(name, others) for name in names):
                return reason
        for reason, others in (*self._closed(), *(self._closed_to_write() if written else ())):
            if any(_touches(name, others) for name in names):
                return reason
        return ""

    def _wide(self) -> tuple[Reserved, ...]:
        """Neither these nor what is above them; what lies in them is another matter."""
        return (
            ("would show your home or Treadle's own directory", self._names((self.home,))),
            ("is shared by everybody on this machine", self._names(SHARED)),
        )

    def _wide_to_write(self) -> tuple[Reserved, ...]:
        reason = "holds the project itself, of which the agent has a clone"
        return ((reason, self._names((self.project,))),)

    def _closed(self) -> tuple[Reserved, ...]:
        """Neither these, nor what is above or in them."""
        logins = "holds logins, or what programs obey when you start them"
        return (
            ("would show your home or Treadle's own directory", self._names((self.root,))),
            ("is the machine's own", self._machine()),
            (logins, self._below_home((*SECRETS, *STARTS))),
        )

    def _closed_to_write(self) -> tuple[Reserved, ...]:
        programs = (*self._names(self.search_path), *self._below_home(PROGRAMS))
        return (
            ("holds programs that you run, or what chooses them", programs),
            ("is the project's own repository", self._names((self.project / ".git",))),
        )

    def _machine(self) -> tuple[Path, ...]:
        """What has the home in it does not close all that is in the home."""
        homes = self._names((self.home,))
        named = self._names(Path(each) for each in MACHINE)
        return tuple(each for each in named if not any(lies_in(home, each) for home in homes))

    def _below_home(self, names: Iterable[str]) -> tuple[Path, ...]:
        return self._names(self.home / name for name in names)

    def _names(self, paths: Iterable[Path]) -> tuple[Path, ...]:
        """Each path, and where its links lead."""
        found = (name for path in paths for name in (path, self.real(path)))
        return tuple(dict.fromkeys(found))


def _touches(name: Path, others: Iterable[Path]) -> bool:
    """Whether the path is one of them, lies in one, or has one below it."""
    return any(lies_in(name, other) or lies_in(other, name) for other in others)
