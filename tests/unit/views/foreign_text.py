"""Text with everything in it that a terminal obeys or hides, for properties that hold always."""

from hypothesis import strategies as st

PARTS = st.sampled_from(
    (
        *("\x1b[31m", "\x1b]0;title\x07", "\x9b2J", "\x1bP+q\x1b\\", "\x1b", "\r", "\n", "\t"),
        *("\x00", "\u202e", "\u200d", "\ufe0f", "\u2028", "e\u0301", "日本", "👩\u200d💻", "word"),
        *(" ", "\ud800"),
    )
)
FOREIGN = st.lists(st.one_of(PARTS, st.text(max_size=8)), max_size=30).map("".join)
