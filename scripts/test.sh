#!/bin/sh
# All tests. Up to three that fail beside the others are run once more alone: what passes then is no
# fault of the change, but an unsteady test, and its name is the last thing that is said.
set -u
cd "$(dirname "$0")/.." || exit 2
python=.venv/bin/python
memory=$(mktemp -d) || exit 2
trap 'rm -rf "$memory"' EXIT

# A third of its time a test waits for others, so three at a time keep two cores busy.
"$python" -m pytest -q -n 3 --dist loadgroup -o cache_dir="$memory" tests
code=$?
[ "$code" -eq 1 ] || exit "$code"

failed=$("$python" -c 'import json, sys; print(*json.load(open(sys.argv[1])), sep="\n")' \
  "$memory/v/cache/lastfailed") || exit "$code"
[ "$(printf '%s\n' "$failed" | wc -l)" -le 3 ] || exit "$code"

echo "once more, alone:"
"$python" -m pytest -q -n 0 -o cache_dir="$memory" --last-failed --last-failed-no-failures none tests || exit 1
printf 'unsteady, to be mended:\n%s\n' "$failed"
