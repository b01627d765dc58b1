"""Results of commands for the tests of what is made of them."""

from treadle.domain.check import Evidence
from treadle.verify.results.check_runner import CommandResult


def command_result(
    exit_code: int | None, output: str = "", setup_failure: str = "", *, command: str = "check"
) -> CommandResult:
    evidence = Evidence(command, "before", "c0", "t0", exit_code, 0.1, "f", "l")
    return CommandResult(evidence, output, log=output, setup_failure=setup_failure)
