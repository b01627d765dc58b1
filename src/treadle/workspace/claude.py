"""The lines by which Claude Code credits itself in a commit message."""

# Matched against a line in lower case, here and by awk, so only what both understand and no
# slash. People are called Claude, too: their surname keeps them.
CREDITED = (
    r"^[ \t]*[a-z]+(-[a-z]+)*-by[ \t]*:[ \t]*"
    r"(.*anthropic\.com|claude[ \t]*((code|ai|agent|opus|sonnet|haiku|[0-9(]).*)?(<|$))"
)
ADVERTISED = r"^[ \t]*(🤖|generated (with|by) \[?claude|claude-session[ \t]*:)"
