"""`treadle reply`: answers an approval with what has to change first."""

import click

from treadle.cli.approval_answer import answer_approval, approval_argument
from treadle.cli.context import CommandContext
from treadle.runs.approvals import ApprovalReply


@click.command("reply")
@approval_argument
@click.argument("words", metavar="TEXT", nargs=-1, required=True)
@click.pass_obj
def command(
    context: CommandContext,
    approval: str,
    words: tuple[str, ...],
    *,
    subject_hash: str | None,
    as_json: bool,
) -> None:
    """Answer question ID with TEXT: what to change. The beginning or end of an id is enough.

    \b
    Example:
      treadle reply 3f9c "Use SQLite, not JSON files"
    """
    answer_approval(
        context, ApprovalReply(approval, "replied", " ".join(words), subject_hash), as_json=as_json
    )
