"""Exceptions for what a person must fix; everything that can happen in a healthy run is a value.

TreadleError            one clear line, and what to do next
  UsageError            the command line or a file given to it is wrong      (exit 2)
  SettingsError         treadle.toml or an environment variable is wrong     (exit 2)
  ProjectError          the project cannot be worked on as it is             (exit 1)
    ProjectInUse        another run works on it
  AgentUnavailable      no usable agent binary, or no login                  (exit 4 for login)
  StoreError            events.db or the disk under it does not take writes  (exit 1)
  SandboxBroken         the sandbox cannot be set up, or does not hold       (exit 7)
"""

from treadle.domain.exit_reasons import ERROR, NO_LOGIN, UNGUARDED, WRONG_USAGE


class TreadleError(Exception):
    """Something only a person can fix."""

    exit_code = ERROR

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(TreadleError):
    """The command line, or a file named on it, cannot be used."""

    exit_code = WRONG_USAGE


class SettingsError(TreadleError):
    """A setting is unknown or has the wrong type."""

    exit_code = WRONG_USAGE


class ProjectError(TreadleError):
    """The project cannot be worked on as it is."""


class ProjectInUse(ProjectError):
    """Another run works on the project."""


class AgentUnavailable(TreadleError):
    """There is no agent binary that can be used."""


class LoginMissing(AgentUnavailable):
    """The agent has no credentials."""

    exit_code = NO_LOGIN


class StoreError(TreadleError):
    """The event store does not take writes."""


class SandboxBroken(TreadleError):
    """The sandbox cannot be set up on this machine, or does not hold."""

    exit_code = UNGUARDED
