"""Parses reset times in messages ("resets Nov 20, 3pm (Europe/Berlin)") into UTC."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

# A time that has just passed means now, not tomorrow: messages round down, and a request that is
# too early costs less than waiting a day.
_JUST_PASSED = timedelta(minutes=5)
_HALF_A_YEAR = timedelta(days=182)

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_UNITS = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds"}

_EPOCH = re.compile(r"\s*\|\s*(\d{10}|\d{13})\b")
_RESETS = re.compile(r"\b(?:resets?|try again|until|available again)\b", re.IGNORECASE)
_LEFT = re.compile(
    r"\s+in\s+((?:\d{1,4}\s*(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)"
    r"(?![a-z])[,\s]*(?:and\s+)?)+)",
    re.IGNORECASE,
)
_PART = re.compile(r"(\d+)\s*([dhms])", re.IGNORECASE)
_MONTH_NAME = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"
_DAY = (
    r"(?:(?P<iso>20\d\d-\d\d-\d\d)T?"
    rf"|{_MONTH_NAME}\s+(?P<day>\d{{1,2}})(?:[a-z]{2})?(?:,?\s+(?P<year>20\d\d))?"
    rf"|(?P<weekday>{'|'.join(_WEEKDAYS)})[a-z]*"
    r"|(?P<near>today|tomorrow))"
)
_TIME = (
    r"(?:(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s*(?P<half>[ap])\.?m\b\.?"
    r"|(?P<hour24>\d{1,2}):(?P<minute24>\d\d)(?::\d\d)?)"
)
_ZONE = r"(?:\s*\((?P<zone>[^()\s]{1,64})\)|\s*(?P<bare>UTC|GMT|Z)\b)"
_MOMENT = re.compile(
    rf"\s*(?:at\s+|on\s+|by\s+)?(?:{_DAY}(?:\s*,\s*|\s+at\s+|\s+)?)?(?:{_TIME})?{_ZONE}",
    re.IGNORECASE,
)
_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d\d))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Day:
    """A day in a message: a fixed date, or one that recurs."""

    start: date
    every: timedelta | None = None


def find_reset(text: str, now: datetime) -> datetime | None:
    """The reset time in a message, in UTC; None without a time, or without a zone to read it in."""
    if epoch := _EPOCH.match(text):
        return datetime.fromtimestamp(int(epoch[1][:10]), UTC)
    for resets in _RESETS.finditer(text):
        if left := _LEFT.match(text, resets.end()):
            parts = {_UNITS[unit.lower()]: int(count) for count, unit in _PART.findall(left[1])}
            return now.astimezone(UTC) + timedelta(**parts)
        if moment := _MOMENT.match(text, resets.end()):
            return _resolve(moment, now)
    return None


def _resolve(moment: re.Match[str], now: datetime) -> datetime | None:
    zone = _zone(moment["zone"] or moment["bare"])
    if zone is None:
        return None
    local_now = now.astimezone(zone)
    has_day = any(moment[part] for part in ("iso", "month", "weekday", "near"))
    time_of_day = _clock(moment, default=time(0) if has_day else None)
    day = _day(moment, local_now.date())
    if time_of_day is None or day is None:
        return None
    return _next(day, time_of_day, zone, now.astimezone(UTC))


def _zone(name: str) -> tzinfo | None:
    if name.upper() in ("UTC", "GMT", "Z"):
        return UTC
    if offset := _OFFSET.fullmatch(name):
        shift = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        if shift >= timedelta(hours=24):
            return None
        return timezone(shift if offset[1] == "+" else -shift)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: "America" is a folder
        return None


def _clock(moment: re.Match[str], *, default: time | None) -> time | None:
    if moment["hour"]:
        hour, minute = int(moment["hour"]), int(moment["minute"] or 0)
        if not 1 <= hour <= 12 or minute > 59:
            return None
        return time(hour % 12 + (12 if moment["half"].lower() == "p" else 0), minute)
    if moment["hour24"]:
        hour, minute = int(moment["hour24"]), int(moment["minute24"])
        return time(hour, minute) if hour < 24 and minute < 60 else None
    return default


def _day(moment: re.Match[str], today: date) -> _Day | None:
    if moment["weekday"]:
        days = (_WEEKDAYS.index(moment["weekday"].lower()) - today.weekday()) % 7
        return _Day(today + timedelta(days=days), every=timedelta(days=7))
    if moment["near"]:
        return _Day(today + timedelta(days=moment["near"].lower() == "tomorrow"))
    if moment["iso"] or moment["month"]:
        start = _date(moment, today)
        return None if start is None else _Day(start)
    return _Day(today, every=timedelta(days=1))


def _date(moment: re.Match[str], today: date) -> date | None:
    try:
        if moment["iso"]:
            return date.fromisoformat(moment["iso"])
        month = _MONTHS.index(moment["month"].lower()) + 1
        day = date(int(moment["year"] or today.year), month, int(moment["day"]))
        # "Jan 2" at the end of December is next year's; yesterday's date is a stale message.
        if not moment["year"] and today - day > _HALF_A_YEAR:
            day = day.replace(year=today.year + 1)
    except ValueError:
        return None
    return day


def _next(day: _Day, time_of_day: time, zone: tzinfo, now: datetime) -> datetime:
    """The first such time that is not over; in the repeated hour of autumn, either of the two."""
    if day.every is None:
        return datetime.combine(day.start, time_of_day, zone).astimezone(UTC)
    current = day.start
    while True:
        for fold in (0, 1):
            at = datetime.combine(current, time_of_day.replace(fold=fold), zone).astimezone(UTC)
            if at > now - _JUST_PASSED:
                return at
        current += day.every
