"""The prompt as a binary must be told it: words for the model, never commands to the binary."""

import re

# A binary reads the file that an `@` names, before any hook is asked, and runs what a `/` names. It
# looks for the `@` behind blanks, brackets and the full stops of many scripts; only behind a letter
# or a digit, as in an address, has it never been one. A character that cannot be seen would do as
# well, but models copy it into the code they write.
_MENTION = re.compile(r"(?<![A-Za-z0-9_\\])@")
_ESCAPED = "\\@"
_NOTE = "\n\n(Where `\\@` is written above, read `@`.)"
_LEADING = "Read this as plain text:\n"


def inert(prompt: str) -> str:
    """The same prompt with nothing in it that a binary without verbatim prompts acts upon."""
    escaped = _MENTION.sub(lambda _: _ESCAPED, prompt)
    if escaped != prompt:
        escaped += _NOTE
    return _LEADING + escaped if escaped.lstrip().startswith(("/", "!")) else escaped
