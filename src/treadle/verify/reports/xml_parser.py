"""Parses XML element by element; entities and DTDs are refused."""

from collections.abc import Mapping
from typing import Protocol
from xml.parsers import expat

from treadle.domain.suite_report import MalformedReport
from treadle.verify.reports.bounds import MOST_DEPTH, MOST_ELEMENTS, refuse


class XmlVisitor(Protocol):
    """Receives each element, by its name without a prefix."""

    def start_element(self, tag: str, attributes: Mapping[str, str]) -> None: ...

    def end_element(self, tag: str, text: str) -> None:
        """`text` is empty unless `texts` names the element."""
        ...


class _XmlRefused(Exception):
    """Stops the parser with a reason."""


def visit_elements(
    name: str, content: bytes, visitor: XmlVisitor, *, texts: frozenset[str] = frozenset()
) -> MalformedReport | None:
    """Pass every element to the visitor; returns an error if the file is malformed."""
    reader = _XmlReader(visitor, texts)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    parser.StartDoctypeDeclHandler = reader.doctype
    parser.EntityDeclHandler = reader.entity
    is_final = True
    try:
        # In one call: expat rescans a long token with each further piece.
        parser.Parse(content, is_final)
    except expat.ExpatError as error:
        return refuse(name, expat.ErrorString(error.code), line=error.lineno)
    except _XmlRefused as refused:
        return refuse(name, str(refused), line=parser.CurrentLineNumber)
    except (LookupError, ValueError):  # an unknown or malformed encoding
        return refuse(name, "its encoding cannot be read", line=1)
    return None


class _XmlReader:
    """The callbacks of the parser."""

    def __init__(self, visitor: XmlVisitor, texts: frozenset[str]) -> None:
        self._visitor = visitor
        self._texts = texts
        self._open: list[list[str] | None] = []
        self._count = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        tag = name.rpartition(":")[2]
        self._count += 1
        if self._count > MOST_ELEMENTS:
            raise _XmlRefused(f"more than {MOST_ELEMENTS:,} elements")
        if len(self._open) >= MOST_DEPTH:
            raise _XmlRefused(f"elements nested more than {MOST_DEPTH} deep")
        self._open.append([] if tag in self._texts else None)
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
        # Istanbul names a DTD, which is never loaded; only inline definitions are refused.
        if has_subset:
            raise _XmlRefused("a report must not define entities (<!DOCTYPE … [)")

    def entity(self, *_declaration: object) -> None:
        raise _XmlRefused("a report must not define entities (<!ENTITY)")
