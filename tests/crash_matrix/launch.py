"""Starts `treadle` in this process with a trap in it.

python -c '…; main()' CASE NUMBER -- rehearse script.yaml -- deliver
"""

import sys

from tests.crash_matrix.cases import named
from tests.crash_matrix.spots import plant


def main() -> None:
    case, number, _, *arguments = sys.argv[1:]
    spot = named(case).commands[int(number)].dies
    if spot is not None:
        plant(spot)
    from treadle.cli.main import run

    sys.exit(run(arguments))
