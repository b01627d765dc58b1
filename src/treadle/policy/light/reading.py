"""Reads a line for the light policy: plain lines at once, others with shfmt. Pure."""

from treadle.domain.shell import ParseLine, SyntaxTree
from treadle.policy.light.pipes import with_piped_text
from treadle.policy.light.tree import read_tree
from treadle.policy.shell.flatten import flatten
from treadle.policy.shell.heredocs import mask_heredocs
from treadle.policy.shell.line_outline import LineOutline
from treadle.policy.shell.plain_line_parser import parse_plain_line
from treadle.policy.shell.refusals import LineRefused
from treadle.policy.shell.shell_nodes import Node
from treadle.policy.shell.syntax import ParsedLine

LONGEST_BYTES = 256 * 1024
# shfmt prints about a kilobyte per word.
_MOST_WORDS = 4000


def read_light_line(line: str, *, shfmt: ParseLine) -> ParsedLine | None:
    """Every command of the line, also in functions and substitutions; None if it is not shell, or
    too much."""
    node = _read(line, shfmt)
    return None if node is None else flatten(with_piped_text(node))


def _read(line: str, shfmt: ParseLine) -> Node | None:
    try:
        plain = parse_plain_line(line, LineOutline())
    except LineRefused:
        plain = None
    if plain is not None:
        return plain
    source = line.encode(errors="replace")
    if len(source) > LONGEST_BYTES or len(mask_heredocs(source).source.split()) > _MOST_WORDS:
        return None
    printed = shfmt(line)
    return read_tree(printed.json, source) if isinstance(printed, SyntaxTree) else None
