"""Events of an audit: what it hands over for a person to decide about."""

from dataclasses import dataclass
from typing import Literal

from treadle.domain.finding import DropReason


@dataclass(frozen=True, slots=True)
class FindingSaved:
    """A difference between code and specifications is in a file of its own."""

    title: str
    path: str
    type: Literal["finding.saved"] = "finding.saved"


@dataclass(frozen=True, slots=True)
class FindingDropped:
    """The finding is there already, or a person has dismissed it."""

    title: str
    reason: DropReason
    type: Literal["finding.dropped"] = "finding.dropped"
