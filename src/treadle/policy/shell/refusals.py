"""The reasons why a line is refused before its commands are checked, with advice. Data."""

from treadle.policy.shell.syntax import UnreadableLine

REASONS = {
    "line-too-long": "The line is longer than 16 KiB. Put the text in a file with the Write tool.",
    "hidden-characters": "The line holds control or invisible characters. Write it without them.",
    "unquoted-characters": "Characters beyond ASCII stand outside quotes. Put quotes around them.",
    "hidden-by-space": "More than 200 blanks in a row could hide a command. Take them out.",
    "too-many-commands": "More than 64 commands in one line. Run them in several lines.",
    "too-many-parts": "The line has too many parts. Put the text in a file, or take several lines.",
    "nested-too-deep": "Commands are nested more than 16 deep. Run the inner ones first.",
    "comment-goes-on": "A comment ends in a backslash: parsers differ on it. Drop the comment.",
    "line-goes-on": "A backslash at the end of a line ties words together. Put a blank before it.",
    "not-shell": "This is not a complete bash line. Check quotes, brackets and operators.",
    "read-in-two-ways": (
        "Two parsers read this line differently. Write it more plainly: one here-document at the"
        " end of its line, no backslash inside a word, no nested backquotes."
    ),
    "no-parser": "The shell parser is not running. Until it is, write plain commands only.",
    "parser-failed": "The line could not be analysed. Write it as plain commands.",
    "dynamic-name": "The name of a command must be written out, without variables or patterns.",
    "function": "Functions are not allowed. Write the commands out where they are needed.",
    "coproc": "`coproc` is not allowed. Run the command with `&`.",
    "time": "`time` stands before a command, at the start of a pipeline: time npm test | tail -5.",
    "process-substitution": (
        "`>( )` is not allowed, and `<( )` only as a word of its own. Write to a file first."
    ),
    "arithmetic": "Arithmetic is allowed on literal numbers only. Compute with a program instead.",
    "indirect-expansion": "`${!x}` and `${x@P}` run or name things unseen. Use `$x`.",
    "expansion-operator": (
        "Only `${x}`, `${#x}` and `${x:-a}`, `${x:+a}`, `${x%a}`, `${x#a}`, `${x/a/b}` with literal"
        " text are allowed. Write the value out."
    ),
    "array": (
        "Arrays are not allowed, but for ${PIPESTATUS[0]}. List the words in a `for` loop, or use"
        " plain variables."
    ),
    "append-assignment": "`x+=` is not allowed. Assign the whole value with `x=`.",
    "extended-glob": "Patterns like `@(a|b)` are not allowed. List the names.",
    "declaration": "Of declarations only `export NAME=value` is allowed. Assign with `NAME=value`.",
    "select": "`select` waits for a person. Use `for`.",
    "counting-loop": "`for (( ))` is not allowed. List the values: `for i in 1 2 3`.",
    "case-falls-through": "`;&` and `;;&` are not allowed in `case`. End each branch with `;;`.",
    "case-pattern": "Patterns of `case` must be literal.",
    "subscript": "A subscript with a substitution in it would be run. Use a plain variable.",
    "test-of-variable": '`-v` and `-R` may run code in a subscript. Test with `[ -n "$x" ]`.',
    "test-of-number": '`[[` computes what it compares with `-eq`. Use `[ "$x" -eq 1 ]`.',
    "test-not-quoted": 'A variable in `[ ]` must be in quotes: `[ "$x" = a ]`.',
    "test-operator": 'The operator of a test must be literal: `[ -f "$x" ]`, `[ "$x" = a ]`.',
    "printf-width": "So wide a field fills the memory. Write the width into the format: %20s.",
    "translated-string": '`$"…"` is not allowed. Write it without the `$`.',
    "escape": "An escape in `$'…'` is not allowed. Use printable characters, `\\n` and `\\t`.",
    "backquotes": "No backslashes or here-documents inside backquotes. Write `$( )`.",
    "heredoc-mark": "The mark of a here-document must be one plain word: `<<'EOF'`.",
    "heredoc-empty": "A here-document without text: use `: > file` or `< /dev/null`.",
    "heredoc-in-substitution": (
        "In `$( )`, a here-document and further commands are read in two ways by bash. Run them"
        " one by one, or write the text to a file."
    ),
    "heredoc-escape": "A line of the here-document ends in a backslash. Quote its mark: `<<'EOF'`.",
    "redirect": "This redirection is not allowed. Use `>`, `>>`, `<`, `2>&1` or `&>`.",
    "construct": "This bash construct is not allowed. Write it as plain commands.",
}


class LineRefused(Exception):
    """Stops parsing a line; `parse_line` turns it into an `UnreadableLine`."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


def make_unreadable(rule: str) -> UnreadableLine:
    return UnreadableLine(REASONS[rule], rule)
