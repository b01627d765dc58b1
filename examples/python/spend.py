"""What was spent: sums up the CSV export of a bank account by category."""

import csv
import sys
from collections import defaultdict
from decimal import Decimal
from pathlib import Path


def read(path):
    """The rows of an export, with the amount as a number."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield row["date"], row["category"], Decimal(row["amount"])


def by_category(rows):
    """Sums, the largest first."""
    sums = defaultdict(Decimal)
    for _, category, amount in rows:
        sums[category] += amount
    return sorted(sums.items(), key=lambda pair: (-pair[1], pair[0]))


def lines(sums):
    """A table with the amounts below each other."""
    return [f"{name:<12}{amount:>10.2f}" for name, amount in sums]


def main(arguments):
    if len(arguments) != 1:
        print("usage: python3 spend.py EXPORT.csv", file=sys.stderr)
        return 2
    print(*lines(by_category(read(arguments[0]))), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
