"""Parses XML element by element; entities and DTDs are refused."""

from collections.abc import Mapping
from typing import Protocol
from xml.parsers import expat

from treadle.domain.suite_report import MalformedReport
from treadle.verify.reports.bounds import MOST_DEPTH, MOST_ELEMENTS, refuse


class XmlVisitor(Protocol):
    """Is told of each element, with its name without a prefix."""

    def start_element(self, tag: str, attributes: Mapping[str, str]) -> None: ...

    def end_element(self, tag: str, text: str) -> None:
        """The text is that of elements named in `texts` alone."""
        ...


class _XmlRefused(Exception):
    """Why reading stops, at the line where the parser is."""


def visit_elements(
    name: str, content: bytes, visitor: XmlVisitor, *, texts: frozenset[str] = frozenset()
) -> MalformedReport | None:
    """Show every element to the visitor; the reason, if the file cannot be read to its end."""
    reading = _XmlReader(visitor, texts)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = reading.start
    parser.EndElementHandler = reading.end
    parser.CharacterDataHandler = reading.characters
    parser.StartDoctypeDeclHandler = reading.doctype
    parser.EntityDeclHandler = reading.entity
    is_all = True
    try:
        # At once: in pieces, a long one would be looked at again with each further piece.
        parser.Parse(content, is_all)
    except expat.ExpatError as error:
        return refuse(name, expat.ErrorString(error.code), line=error.lineno)
    except _XmlRefused as refused:
        return refuse(name, str(refused), line=parser.CurrentLineNumber)
    except (LookupError, ValueError):  # an encoding that Python does not know, or not so
        return refuse(name, "its encoding cannot be read", line=1)
    return None


class _XmlReader:
    """What the parser calls."""

    def __init__(self, visitor: XmlVisitor, texts: frozenset[str]) -> None:
        self._visitor = visitor
        self._wanted = texts
        self._open: list[list[str] | None] = []
        self._seen = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        tag = name.rpartition(":")[2]
        self._seen += 1
        if self._seen > MOST_ELEMENTS:
            raise _XmlRefused(f"more than {MOST_ELEMENTS:,} elements")
        if len(self._open) >= MOST_DEPTH:
            raise _XmlRefused(f"elements nested more than {MOST_DEPTH} deep")
        self._open.append([] if tag in self._wanted else None)
        self._visitor.start_element(tag, attributes)

    def end(self, name: str) -> None:
        text = self._open.pop()
        self._visitor.end_element(name.rpartition(":")[2], "".join(text or ()))

    def characters(self, text: str) -> None:
        if self._open and (kept := self._open[-1]) is not None:
            kept.append(text)

    def doctype(
        self, _name: str, _system: str | None, _public: str | None, has_subset: int
    ) -> None:
        # The mere name of a DTD, as Istanbul writes it, is never followed; definitions are refused.
        if has_subset:
            raise _XmlRefused("a report must not define entities (<!DOCTYPE … [)")

    def entity(self, *_declaration: object) -> None:
        raise _XmlRefused("a report must not define entities (<!ENTITY)")
