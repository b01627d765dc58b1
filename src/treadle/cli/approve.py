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
    """Approve ID, any unique end of one in `treadle approvals`. The first valid answer counts."""
    answer_approval(context, ApprovalReply(approval, "approved", "", subject_hash), as_json=as_json)
