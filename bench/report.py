"""Figures as text: a table of what is aimed at, then the numbers behind it. Pure."""

from collections.abc import Sequence

from bench.figures import Figure, Spread, Unit

NAME_WIDTH = 58


def table(title: str, figures: Sequence[Figure]) -> list[str]:
    """Columns that a person reads and a script can split at two blanks."""
    head = f"{title:<{NAME_WIDTH}}  {'aim':>9}  {'median':>9}  {'lowest–highest':>19}"
    return [head.rstrip(), "-" * len(head), *(_line(figure) for figure in figures), ""]


def _line(figure: Figure) -> str:
    aim = "" if figure.aim is None else f"≤ {_number(figure.aim, figure.unit)}"
    middle = _number(figure.value.middle, figure.unit)
    line = f"{figure.name:<{NAME_WIDTH}}  {aim:>9}  {middle:>9}"
    return f"{line}  {_range(figure.value, figure.unit):>19}  {figure.verdict}".rstrip()


def _range(value: Spread, unit: Unit) -> str:
    return f"{_number(value.low, unit)}–{_number(value.high, unit)}"


def _number(value: float, unit: Unit) -> str:
    match unit:
        case "x":
            return f"{value:.2f}"
        case "s":
            return f"{value:.3f} s"
        case "ms":
            return f"{value:.1f} ms"
        case "MB":
            return f"{value:.0f} MB"
        case "/s":
            return f"{value:,.0f}/s"
