"""`treadle approve`: answers an approval with yes."""

import click

from treadle.cli.approval_answer import answer_approval, approval_argument
from treadle.cli.context import CommandContext
from treadle.runs.approvals import ApprovalReply


@click.command("approve")
@approval_argument
@click.pass_obj
def command(
    context: CommandContext, approval: str, *, subject_hash: str | None, as_json: bool
) -> None:
    """Answer question ID with yes. The beginning or end of an id is enough. The first answer
    counts.

    \b
    Example:
      treadle approve 3f9c
    """
    answer_approval(context, ApprovalReply(approval, "approved", "", subject_hash), as_json=as_json)
