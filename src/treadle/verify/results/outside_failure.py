"""Finds failures in a command's output that no work on the project repairs. Pure.

A tool or package that is not installed, and a network that does not answer, say nothing about the
project. A module or file of the project that is missing is work that is to be done.
"""

import re

_PYTHON_TOOLS = frozenset(
    {
        *("pytest", "_pytest", "nose", "nose2", "hypothesis", "coverage", "tox", "nox", "behave"),
        *("xdist", "green", "robot", "mypy", "pyright", "ruff", "black", "flake8", "pylint"),
        *("isort", "bandit", "pip", "setuptools", "wheel", "build", "uv", "poetry", "hatchling"),
        *("pytest_asyncio", "pytest_cov", "pytest_mock", "pytest_django", "playwright", "selenium"),
    }
)
_NODE_TOOLS = frozenset(
    {
        *("vitest", "vite", "jest", "mocha", "chai", "ava", "tap", "tape", "uvu", "jasmine"),
        *("karma", "cypress", "playwright", "@playwright/test", "typescript", "tsx", "ts-node"),
        *("ts-jest", "babel-jest", "esbuild", "eslint", "prettier", "c8", "nyc", "jsdom"),
    }
)
_NODE_SCOPES = ("@vitest/", "@jest/", "@playwright/", "@babel/", "@types/", "@testing-library/")
_RUBY_TOOLS = frozenset({"rspec", "rspec/core", "minitest", "minitest/autorun", "test/unit"})
_PYTHON_MODULE = re.compile(r"No module named '?([\w.]{1,200})'?", re.MULTILINE)
_NODE_MODULE = re.compile(r"Cannot find (?:module|package) '([^'\n]{1,500})'")
_RUBY_FILE = re.compile(r"cannot load such file -- (\S{1,200})")
# Folders that a setup fills.
_INSTALLED = re.compile(r"(?:^|/)(?:node_modules|vendor|\.venv|venv|site-packages)/")
# Sentences of package managers and launchers about what is not installed.
_NOT_INSTALLED = re.compile(
    r"Could not find a version that satisfies"
    r"|No matching distribution found"
    r"|could not determine executable to run"
    r"|Could not open input file: \S{0,500}vendor/"
    r"|can't open file '[^'\n]{0,500}/(?:\.venv|venv|node_modules)/"
    r"|Could not find gem '|Could not find \S{1,100} in (?:any of the sources|locally installed)"
    r"|Install missing gem executables with"
    r"|error: no such command: `"
    r"|rustup could not choose a version|error: toolchain '[^'\n]{1,100}' is not installed"
    r"|is not installed for the toolchain"
    r"|Cannot connect to the Docker daemon"
    r"|did you mean to install\?$",
    re.MULTILINE,
)
_LOOPBACK = r"(?:127\.\d+\.\d+\.\d+|localhost|\[?::1\]?|0\.0\.0\.0)"
# A project's own server that is not there yet answers on this machine.
_HAS_LOOPBACK = re.compile(_LOOPBACK)
_NETWORK = re.compile(
    r"Temporary failure in name resolution|Name or service not known"
    r"|Could not resolve (?:host|proxy)"
    r"|Max retries exceeded|getaddrinfo (?:ENOTFOUND|EAI_AGAIN)"
    r"|connect (?:ECONNREFUSED|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH) "
    r"|Network is unreachable|No route to host|TLS handshake timeout"
    r"|dial tcp\b|Tunnel connection failed: 5\d\d|Failed to connect to \S{1,200} port"
)
# In lines of package managers, an answer of the index or a refused connection counts as well.
_MANAGERS = re.compile(
    r"^(?:npm (?:error|ERR!|warn|WARN)|\W*YN\d{4}\b)|ERR_PNPM_|\bregistry\b|/simple/|\bpip\b"
    r"|Could not fetch specs|HTTP error 5\d\d while getting"
    r"|HTTP status server error|ERROR: HTTP error|Could not install packages"
)
_MANAGER_TROUBLE = re.compile(
    r"\b(?:429|50[0234])\b|\bE(?:CONNREFUSED|CONNRESET|NOTFOUND|AI_AGAIN|TIMEDOUT|NOTCACHED|503)\b"
    r"|[Cc]onnection (?:refused|reset|timed out)|[Rr]ead timed out|network error|socket hang up"
)
_LONGEST_LINE = 2_000
_LONGEST_TEXT = 200


def outside_failure(output: str) -> str:
    """Why a red command says nothing about the project, in one line; empty if it does."""
    if installed := _missing_install(output):
        return installed
    for line in output.splitlines():
        short = line[:_LONGEST_LINE]
        is_network = _NETWORK.search(short) and not _HAS_LOOPBACK.search(short)
        if is_network or (_MANAGERS.search(short) and _MANAGER_TROUBLE.search(short)):
            return f"the network failed: {_shorten(short)}"
    return ""


def is_installed_path(path: str) -> bool:
    """Whether a setup makes this file, so that it is no work of an agent."""
    return _INSTALLED.search(path) is not None


def _missing_install(output: str) -> str:
    for module in _PYTHON_MODULE.finditer(output):
        if module[1].partition(".")[0] in _PYTHON_TOOLS:
            return f"{module[1]} is not installed"
    for module in _NODE_MODULE.finditer(output):
        name = module[1]
        if name in _NODE_TOOLS or name.startswith(_NODE_SCOPES) or is_installed_path(name):
            return f"{name} is not installed"
    for file in _RUBY_FILE.finditer(output):
        if file[1] in _RUBY_TOOLS:
            return f"{file[1]} is not installed"
    if sentence := _NOT_INSTALLED.search(output):
        start = output.rfind("\n", 0, sentence.start()) + 1
        return f"something is not installed: {_shorten(output[start:].partition(chr(10))[0])}"
    return ""


def _shorten(line: str) -> str:
    plain = line.strip()
    return plain if len(plain) <= _LONGEST_TEXT else f"{plain[: _LONGEST_TEXT - 1]}…"
