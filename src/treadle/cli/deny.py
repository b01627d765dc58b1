"""`treadle deny`: answers an approval with no, and optionally a reason."""

import click

from treadle.cli.approval_answer import answer_approval, approval_argument
from treadle.cli.context import CommandContext
from treadle.runs.approvals import ApprovalReply


@click.command("deny")
@approval_argument
@click.argument("words", metavar="[TEXT]", nargs=-1)
@click.pass_obj
def command(
    context: CommandContext,
    approval: str,
    words: tuple[str, ...],
    *,
    subject_hash: str | None,
    as_json: bool,
) -> None:
    """Answer question ID with no. The beginning or end of an id is enough. TEXT gives the reason.

    \b
    Example:
      treadle deny 3f9c "Do not touch the schema"
    """
    answer_approval(
        context, ApprovalReply(approval, "denied", " ".join(words), subject_hash), as_json=as_json
    )
