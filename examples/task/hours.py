"""Sums up a timesheet: how many hours went into each project."""

import csv
import sys
from pathlib import Path


def read(path):
    """The rows of a timesheet: day, project, hours."""
    with Path(path).open(newline="") as file:
        return [(row["day"], row["project"], float(row["hours"])) for row in csv.DictReader(file)]


def by_project(rows):
    """Hours per project, the largest first."""
    sums = {}
    for _, project, hours in rows:
        sums[project] = sums.get(project, 0.0) + hours
    return sorted(sums.items(), key=lambda each: (-each[1], each[0]))


def main(arguments):
    if len(arguments) != 1:
        print("usage: hours.py TIMESHEET", file=sys.stderr)
        return 2
    for project, hours in by_project(read(arguments[0])):
        print(f"{project:<12}{hours:>6.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
