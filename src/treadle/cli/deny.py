"""`treadle deny`: a no to what a run asks, with a reason if there is one."""

import click

from treadle.cli.answering import give, names_a_question
from treadle.cli.context import Given
from treadle.wiring.approvals import Reply


@click.command("deny")
@names_a_question
@click.argument("words", metavar="[TEXT]", nargs=-1)
@click.pass_obj
def command(
    given: Given, approval: str, words: tuple[str, ...], *, subject_hash: str | None, as_json: bool
) -> None:
    """Deny ID, any unique end of one in `treadle approvals`; TEXT says why."""
    give(given, Reply(approval, "denied", " ".join(words), subject_hash), as_json=as_json)
