"""Checks sed, awk and jq programs for anything besides printing. Pure."""

import re

# Texts, patterns (after an operator; after a value, a slash divides) and comments of awk.
_AWK_TEXTS = re.compile(
    r'"(?:[^"\\\n]|\\.)*"'
    r"|(?:\A|(?<=[~!(,{;&|\n}=<>+*%?:-])(?<!\+\+)(?<!--))[ \t]*/(?:[^/\\\n]|\\.)*/|#[^\n]*"
)
_AWK_UNSURE = re.compile(r"(?:\b(?:print|printf|return|else|do|in|case)|\)|\+\+|--)\s*/")
_AWK_RUNS = re.compile(
    r"\b(?:system|getline(?!\s*[;}])|ENVIRON|PROCINFO|close|fflush|ARGV|SYMTAB|FUNCTAB)|@\s*\w+"
    r"|\bwhile\s*\(\s*1\s*\)|\bfor\s*\(\s*;\s*;\s*\)"
)
_AWK_GOES_ON = re.compile(r"([,{]|&&|\|\||\\)[ \t]*\n")
_AWK_WRITES = re.compile(r"\bprintf?\b[^;}\n]*>|(?<!\|)\|(?!\|)|\|&|>>")

_PATTERN = r"/(?:[^/\\\n]|\\.)*/[IM]*"
_PART = r"(?:(?!\1)[^\\]|\\.)*\1"
# One command of sed after its address: not `e`, which runs a program, nor `r` and `w`.
_SED = re.compile(
    rf"\s*+(?:(?:\d+(?:~\d+)?|\$|{_PATTERN})(?:\s*+,\s*+[+~]?(?:\d+|\$|{_PATTERN}))?)?\s*+!?\s*+"
    r"(?:[pdDPnNgGhHxlFz=}{]|[qQ][ \d]*|[aic](?:\\[\s\S]|[^\n\\])*|[btT:]\s*[\w.-]*"
    rf"|[sy]([^\w\s\\]){_PART}{_PART}[gpiImM0-9]*(?=[\s;}}]|$))",
    re.DOTALL,
)
_JQ = re.compile(
    r"""\$ENV\b|\$__prog|(?<![.\w"$])env(?![\w"]|\s*:)|\b(?:import|include|input_filename|repeat|infinite)\b"""
    r"|\brange\(\s*\d{8,}|\brange\(\s*\d+e|@sh\b.*\bsystem\b|\bget_search_list\b|\blimit\(infinite"
)


def awk_refusal(text: str) -> str | None:
    """Why the text is refused. An ambiguous text counts as the worse case."""
    bare = _AWK_TEXTS.sub("0", text)
    if _AWK_UNSURE.search(bare) or '"' in bare:
        return "the awk text is not plain enough to be judged"
    if _AWK_RUNS.search(text):
        return "the awk text runs a program, reads the environment, or does not end"
    # A line goes on after these, so what follows belongs to the same statement.
    if _AWK_WRITES.search(_AWK_GOES_ON.sub(r"\1 ", bare)):
        return "the awk text writes to a file or a program; print, and redirect with the shell"
    return None


def sed_refusal(text: str) -> str | None:
    at = 0
    while text[at:].strip(" \t\n;}"):
        at += len(text[at:]) - len(text[at:].lstrip(" \t\n;}"))
        found = _SED.match(text, at)
        if found is None:
            return f"the sed text {text!r} is not one of the plain commands (s, y, d, p, q, a, …)"
        at = found.end()
    return None


def jq_refusal(text: str) -> str | None:
    if _JQ.search(text):
        return "the jq filter reads the environment or another file, or does not end"
    return None


PROGRAMS = {"sed": sed_refusal, "awk": awk_refusal, "jq": jq_refusal}
