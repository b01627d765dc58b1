"""The lines that name a cause are picked out of what package managers print when they fail."""

import pytest

from treadle.verify.results.failure_cause import MAX_LINES, cause_lines

PEP_668 = """\
error: externally-managed-environment

× This environment is externally managed
╰─> To install Python packages system-wide, try apt install
    python3-xyz, where xyz is the package you are trying to
    install.

note: If you believe this is a mistake, contact the provider.
hint: See PEP 668 for the detailed specification.
"""
NPM_LOCK = """\
npm error code EUSAGE
npm error
npm error `npm ci` can only install packages when package.json and package-lock.json agree.
npm error Missing: slugify@1.6.6 from lock file
npm error
npm error Clean install a project
npm error
npm error Usage:
npm error npm ci
npm error
npm error Options:
npm error [--install-strategy <hoisted|nested|shallow|linked>] [--legacy-bundling]
npm error
npm error aliases: clean-install, ic, install-clean, isntall-clean
npm error
npm error Run "npm help ci" for more info
npm notice New major version of npm available!
npm error A complete log of this run can be found in: /home/.npm/_logs/debug-0.log
"""
PIP_MISSING = """\
Collecting tiny==9
  Downloading tiny-9.whl (1 kB)
ERROR: Could not find a version that satisfies the requirement tiny==9 (from versions: 1.0)
ERROR: No matching distribution found for tiny==9

[notice] A new release of pip is available: 23.0.1 -> 25.1
"""
PIP_BUILD = """\
  error: subprocess-exited-with-error

  × pip subprocess to install build dependencies did not run successfully.
  │ exit code: 1
  ╰─> [2 lines of output]
      ERROR: No matching distribution found for setuptools
      [end of output]

  note: This error originates from a subprocess, and is likely not a problem with pip.
"""
UV = """\
Resolved 3 packages in 1ms
  × Failed to build `money @ file:///work`
  ├─▶ The build backend returned an error
  ╰─▶ Call to `setuptools.build_meta.build_editable` failed (exit status: 1)
"""
CARGO = """\
    Updating index
error: failed to get `itoa` as a dependency of package `x v0.1.0`

Caused by:
  download of config.json failed
"""
GO = "go: downloading example.com/x v1.0.0\ngo: example.com/x@v1.0.0: no such host: not found\n"
TRACEBACK = """\
Traceback (most recent call last):
  File "setup.py", line 1, in <module>
    import numpy
ModuleNotFoundError: No module named 'numpy'
"""
PNPM = "Lockfile is up to date\n ERR_PNPM_FETCH_404  GET https://index.example/x: Not Found\n"
YARN = "yarn install v1.22\nerror An unexpected error occurred: not found.\ninfo Visit the docs.\n"


@pytest.mark.parametrize(
    ("output", "cause"),
    [
        (
            PEP_668,
            [
                "error: externally-managed-environment",
                "× This environment is externally managed",
                "╰─> To install Python packages system-wide, try apt install",
            ],
        ),
        (
            NPM_LOCK,
            [
                "npm error code EUSAGE",
                "npm error `npm ci` can only install packages when package.json and"
                " package-lock.json agree.",
                "npm error Missing: slugify@1.6.6 from lock file",
            ],
        ),
        (
            PIP_MISSING,
            [
                "ERROR: Could not find a version that satisfies the requirement tiny==9"
                " (from versions: 1.0)",
                "ERROR: No matching distribution found for tiny==9",
            ],
        ),
        (
            PIP_BUILD,
            [
                "× pip subprocess to install build dependencies did not run successfully.",
                "╰─> [2 lines of output]",
                "ERROR: No matching distribution found for setuptools",
            ],
        ),
        (
            UV,
            [
                "× Failed to build `money @ file:///work`",
                "├─▶ The build backend returned an error",
                "╰─▶ Call to `setuptools.build_meta.build_editable` failed (exit status: 1)",
            ],
        ),
        (
            CARGO,
            [
                "error: failed to get `itoa` as a dependency of package `x v0.1.0`",
                "Caused by:",
                "download of config.json failed",
            ],
        ),
        (GO, ["go: example.com/x@v1.0.0: no such host: not found"]),
        (TRACEBACK, ["ModuleNotFoundError: No module named 'numpy'"]),
        (PNPM, ["ERR_PNPM_FETCH_404  GET https://index.example/x: Not Found"]),
        (YARN, ["error An unexpected error occurred: not found."]),
        ("/bin/sh: 1: uv: not found\n", ["/bin/sh: 1: uv: not found"]),
        ("make: *** [Makefile:2: setup] Error 1\n", ["make: *** [Makefile:2: setup] Error 1"]),
        # In a tool's own words that nobody knows.
        ("one\nthe mirror refused: denied\ntwo\n", ["the mirror refused: denied"]),
        ("one\ntwo\nthree\nfour\n", ["two", "three", "four"]),
        ("\x1b[31merror: in red\x1b[0m\n", ["error: in red"]),
        ("", []),
    ],
)
def test_the_cause_is_named_without_the_advice_around_it(output: str, cause: list[str]) -> None:
    assert list(cause_lines(output)) == cause


def test_many_lines_are_cut_and_repeats_left_out() -> None:
    output = "error: the same\n" * 5 + "".join(f"error: number {n}\n" for n in range(20))

    assert cause_lines(output) == (
        "error: the same",
        *(f"error: number {n}" for n in range(MAX_LINES - 1)),
    )
