"""`treadle approve`: a yes to what a run asks."""

import click

from treadle.cli.answering import give, names_a_question
from treadle.cli.context import Given
from treadle.wiring.approvals import Reply


@click.command("approve")
@names_a_question
@click.pass_obj
def command(given: Given, approval: str, *, subject_hash: str | None, as_json: bool) -> None:
    """Approve ID, any unique end of one in `treadle approvals`. The first valid answer counts."""
    give(given, Reply(approval, "approved", "", subject_hash), as_json=as_json)
