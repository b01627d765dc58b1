"""What a person should know about the specification before the first session. Pure."""

from treadle.wiring.checked_request import CheckedRequest

# About 50,000 tokens, which every session reads.
LARGE_SPECIFICATION = 200_000


def start_notices(checked: CheckedRequest) -> list[str]:
    """One sentence for each peculiarity of the specification."""
    if checked.workflow.specification != "file":
        return []
    notice = specification_notice(checked.spec, checked.spec_text)
    return [notice] if notice else []


def specification_notice(name: str, text: str) -> str:
    """A warning about a specification that is empty or very long; else empty."""
    if not text.strip():
        return f"{name} is empty, so there is nothing to build: write down what you want"
    if len(text) <= LARGE_SPECIFICATION:
        return ""
    return (
        f"{name} has {len(text):,} characters, and every session reads all of it: "
        "move what is not needed each time into other files, and name them in it"
    )
