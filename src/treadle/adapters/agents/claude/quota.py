"""The sentences in which Claude Code reports a reached quota; a new wording is a row here."""

# What may follow a sentence: its end, punctuation, or when it resets. "You've hit your limit of
# five requests" is somebody's program speaking.
_ENDS = r"(?=\s*(?:$|[·∙•|(\n.,;:!–—-]|will reset\b|resets?\b|for\b|and\b|until\b))"
_WHICH = r"(?:[\w.'-]+ ){0,5}?"
_WINDOW = r"(?:5-hour|five-hour|session|daily|weekly|monthly|opus|sonnet|organization|org|plan)"
QUOTA_SENTENCES = (
    rf"you(?:'ve| have) (?:hit|reached|exceeded) your {_WHICH}(?:limit|budget|quota){_ENDS}",
    rf"your org(?:anization)? has (?:hit|reached|exceeded) its {_WHICH}(?:limit|budget){_ENDS}",
    rf"your org(?:anization)?'s {_WHICH}limit (?:is|was|has been) (?:hit|reached){_ENDS}",
    rf"claude (?:ai |code |pro |max )?(?:{_WINDOW} )?(?:usage )?limit reached{_ENDS}",
    rf"(?:your )?(?:{_WINDOW} ){{1,3}}(?:usage )?limit reached{_ENDS}",
    rf"(?:your )?usage limit reached{_ENDS}",
    rf"spending cap reached{_ENDS}",
    r"you're out of (?:extra usage|usage credits)\b",
    r"your org(?:anization)? is out of (?:extra )?usage\b",
    r"your seat type doesn't include (?:extra )?usage\b",
    r"your usage allocation has been disabled\b",
    r"(?:extra )?usage (?:has been|was|is) disabled (?:by|for) your (?:admin|org)",
    r"your group's usage limit is set to\b",
    r"this service is disabled for your org\b",
    r"(?:fable|haiku|mythos|opus|sonnet)(?: [^·\n]{1,40})? requires (?:usage credits|extra usage)",
)
