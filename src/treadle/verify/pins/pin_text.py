"""Says in one line why a green command is not proven by the pinned tree. Pure."""

from collections.abc import Sequence
from typing import assert_never, get_args

from treadle.domain.pin_plan import MixedCause, MixedFile, PinAction, PinPlan

# Names in a reason.
MAX_NAMES = 3
_CAUSES: tuple[MixedCause, ...] = get_args(MixedCause)


def pinned_failure(plan: PinPlan, inconclusive: str) -> str:
    """Why a check that is green on the work is not green on the pinned tree."""
    changed, added = _paths(plan, "restored"), _paths(plan, "left_out")
    if inconclusive:
        without = f"without {added}" if added and not changed else "with your tests"
        return f"{without} it could not be run: {inconclusive}"
    if changed:
        return f"it fails with your version of {changed}"
    if added:
        return f"it fails without {added}, which the agent added"
    return f"it fails with the settings of your {_paths(plan, 'merged')}"


def judge_changes(plan: PinPlan) -> str:
    """What the agent did to the judges; empty if it did nothing to them."""
    kinds: tuple[tuple[PinAction, str], ...] = (
        ("restored", "changed"),
        ("merged", "changed"),
        ("left_out", "added"),
    )
    found = ((verb, _paths(plan, action)) for action, verb in kinds)
    return next((f"the agent {verb} {paths}" for verb, paths in found if paths), "")


def mixed_failure(plan: PinPlan) -> str:
    """Why nothing can be pinned: the worst that files which are product and judge have."""
    worst = min(plan.mixed, key=lambda file: _CAUSES.index(file.cause))
    alike = [file for file in plan.mixed if file.cause == worst.cause]
    paths = list_names([file.path for file in alike])
    shown = _shared_text(alike)
    match worst.cause:
        case "tests":
            return f"the agent changed tests inside {paths}"
        case "runner":
            return f"new code in {paths} could make tests pass by itself{shown}"
        case "expectations":
            return f"{paths} names what its output is compared with{shown}"
        case "linters":
            return f"new code in {paths} makes a tool ignore problems{shown}"
        case "unread":
            return f"the effect of {paths} on tests is unknown: too large to read"
        case _:
            assert_never(worst.cause)


def list_names(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = len(names) - MAX_NAMES
    return ", ".join(names[:MAX_NAMES]) + (f" and {more} more" if more > 0 else "")


def _paths(plan: PinPlan, action: PinAction) -> str:
    return list_names([file.path for file in plan.files if file.action == action])


def _shared_text(files: Sequence[MixedFile]) -> str:
    """The text that shows it, if that is the text of all of them."""
    texts = {file.text for file in files}
    return f": {files[0].text}" if len(texts) == 1 and files[0].text else ""
