"""The `treadle` command. `--version` is answered before anything else is imported."""

import sys


def main() -> None:
    if sys.argv[1:] in (["--version"], ["-V"]):
        from treadle._version import __version__

        sys.stdout.write(f"treadle {__version__}\n")
        return
    from treadle.cli.main import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
