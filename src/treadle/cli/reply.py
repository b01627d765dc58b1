"""`treadle reply`: what is to be different before it is a yes."""

import click

from treadle.cli.answering import give, names_a_question
from treadle.cli.context import Given
from treadle.wiring.approvals import Reply


@click.command("reply")
@names_a_question
@click.argument("words", metavar="TEXT", nargs=-1, required=True)
@click.pass_obj
def command(
    given: Given, approval: str, words: tuple[str, ...], *, subject_hash: str | None, as_json: bool
) -> None:
    """Answer ID, any unique end of one in `treadle approvals`, with TEXT: what to change."""
    give(given, Reply(approval, "replied", " ".join(words), subject_hash), as_json=as_json)
