"""Lengths of time and points in time as text: `1h 1m 1s`, `3d ago`, `18:30 tomorrow`."""

from datetime import datetime, timedelta, tzinfo

HOUR = 3600
MINUTE = 60
DAY = 24 * HOUR


def duration(seconds: float) -> str:
    """Hours, minutes and whole seconds, parts that are zero left out; nothing at all is `0s`."""
    whole = max(0, int(seconds))
    parts = ((whole // HOUR, "h"), (whole % HOUR // MINUTE, "m"), (whole % MINUTE, "s"))
    return " ".join(f"{count}{unit}" for count, unit in parts if count) or "0s"


def rough_duration(seconds: float) -> str:
    """Whole minutes, except for the last one: nobody watches the seconds of five hours."""
    # What was 20 minutes an instant ago is not 19.
    whole = round(seconds)
    return duration(whole if whole < MINUTE else whole // MINUTE * MINUTE)


def ago(then: datetime, now: datetime) -> str:
    """How long ago in its largest unit: what a column of a list has room for."""
    seconds = max(0, int((now - then).total_seconds()))
    for size, unit in ((DAY, "d"), (HOUR, "h"), (MINUTE, "m")):
        if seconds >= size:
            return f"{seconds // size}{unit} ago"
    return f"{seconds}s ago"


def clock_time(moment: datetime, *, now: datetime, zone: tzinfo | None) -> str:
    """The local time of a moment, with its date when that is not today."""
    local, today = moment.astimezone(zone), now.astimezone(zone).date()
    if local.date() == today:
        return local.strftime("%H:%M")
    if local.date() == today + timedelta(days=1):
        return local.strftime("%H:%M tomorrow")
    return local.strftime("%b %d, %H:%M")
