# Two commands do everything: `make demo` shows the product at work, `make test` proves it.
# They set up what they need first; see scripts/setup.sh for exactly what that is.
.PHONY: help setup setup-tests demo test test-fast check fix bench crash-matrix no-loss fuzz toolchains drills contracts docs lock
PY := .venv/bin/python
export PYTHONDONTWRITEBYTECODE :=

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile

setup:  ## make .venv with the treadle command
	@sh scripts/setup.sh

demo: setup  ## a real Claude Code process takes a small SPEC.md to landed work; no account
	@.venv/bin/treadle demo

setup-tests:  ## what the tests use besides: PostgreSQL, Chromium, package managers, compilers
	@sh scripts/setup.sh tests

test: setup-tests  ## all tests, the real Claude Code binary included
	@sh scripts/test.sh

test-fast: setup-tests  ## two minutes: no agents, servers or many processes
	@$(PY) -m pytest -q -n 3 --dist loadgroup -m "not slow" --hypothesis-profile fast \
	  tests/unit tests/contracts tests/architecture

check: setup  ## format, lint, types, layers, spelling
	@$(PY) -m ruff format --check -q .
	@$(PY) -m ruff check -q .
	@$(PY) -m mypy
	@.venv/bin/lint-imports
	@.venv/bin/codespell

fix: setup  ## let the tools repair what they can
	@$(PY) -m ruff check -q --fix .
	@$(PY) -m ruff format -q .

bench: setup-tests  ## measured ratios against plain `claude -p`, in one run
	@$(PY) -m bench

crash-matrix: setup-tests  ## kill -9 at every named point of a run, then continue; writes its table
	@$(PY) -m tests.crash_matrix

no-loss: setup-tests  ## random lives of runs on real git, many and long: no commit is lost
	@$(PY) -m pytest -q --hypothesis-profile long tests/unit/runs/test_no_loss.py

fuzz: setup-tests  ## random shell lines: what we read against what bash runs, in a sandbox
	@$(PY) -m tests.fuzz --strings 60000

toolchains: setup-tests  ## ordinary compilers, test runners and servers in the sandbox, the slow ones too
	@$(PY) -m pytest -q -n 3 --all-programs tests/toolchains

drills: setup-tests  ## agents that cheat, and honest ones, in whole runs of many test runners
	@$(PY) -m pytest -q -n 3 --all-drills tests/drills

contracts: setup  ## prune the vendored schemas of services anew from their packages (npm)
	@$(PY) -m tests.github.vendor_schema

docs: setup  ## write the generated pages of docs/reference
	@$(PY) -m docs.reference.generate

lock: setup  ## compile requirements.lock from pyproject.toml
	@.venv/bin/uv pip compile -q --universal --generate-hashes --no-header --no-emit-index-url --python-version 3.11 \
	  --group dev -o requirements.lock pyproject.toml
