"""Points in time on the command line: a date, a time, or how long ago."""

import re
from datetime import UTC, datetime, timedelta

import click

_AGO = re.compile(r"(\d{1,6})([mhdw])")
_DAYS_BACK = {"today": 0, "yesterday": 1}
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class TimeParamType(click.ParamType["datetime"]):
    """`2026-05-04`, `2026-05-04T18:30`, `today` or `yesterday` by the local clock; or how long ago:
    `30m`, `12h`, `7d`, `2w`."""

    name = "when"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        moment = parse_moment(str(value), datetime.now(UTC))
        if moment is None:
            self.fail(f"{value!r} is not a time: use 2026-05-04, 12h or 7d", param, ctx)
        return moment


def parse_moment(text: str, now: datetime) -> datetime | None:
    """The moment, or None where the text names none."""
    if found := _AGO.fullmatch(text.strip()):
        try:
            return now - timedelta(**{_UNITS[found[2]]: int(found[1])})
        except OverflowError:
            return None
    if text.strip() in _DAYS_BACK:
        midnight = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
        return (midnight - timedelta(days=_DAYS_BACK[text.strip()])).astimezone(UTC)
    try:
        return datetime.fromisoformat(text.strip()).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
