"""How long the shell policy takes to decide about a line, plain and complex."""

import time
from collections.abc import Sequence
from pathlib import Path

from bench.figures import Figure, Spread
from bench.model import MeasurementFailed
from treadle.policy.judging.line_decision import decide_line
from treadle.policy.judging.shell_context import ShellContext
from treadle.wiring.policy import system_lookups

# Words and operators alone: one parser, in this process.
PLAIN = (
    "ls -la",
    "git status --short",
    "npm test",
    "python3 -m pytest -q tests",
    "cat README.md | head -50",
    "mkdir -p src/components && cp a.ts src/b.ts",
    "npm run build > /tmp/build.log",
    "rm -rf node_modules",
)
# Substitutions, here-documents, loops: a second parser, in a process of its own.
COMPLEX = (
    "git commit -m \"$(cat <<'EOF'\nfeat: add a page\n\nIt's done; a && b\nEOF\n)\"",
    'for f in a b c; do echo "$f"; cat "src/$f.ts"; done',
    'if [ -f package.json ]; then npm ci && npm test 2>&1 | tail -20; else echo "none"; fi',
    "cat > src/app.py <<'EOF'\nprint('hello')\nEOF",
    'echo "$(git rev-parse --short HEAD)" && X=src; ls $X/*.ts',
)
BATCH = 20


def measure(directory: Path, times: int) -> dict[str, list[float]]:
    """Milliseconds for one decision, each the mean over a few rounds of all lines of its sort."""
    directory.mkdir(parents=True, exist_ok=True)
    context, looks = ShellContext(str(directory)), system_lookups()
    took: dict[str, list[float]] = {"plain": [], "complex": []}
    for counted in range(times + 1):
        for sort, lines, rounds in (("plain", PLAIN, BATCH), ("complex", COMPLEX, 1)):
            started = time.perf_counter()
            for _ in range(rounds):
                decided = [decide_line(line, context, lookups=looks) for line in lines]
            spent_ms = (time.perf_counter() - started) * 1000
            _check(lines, [answer.rule for answer in decided])
            if counted:  # the first time loads the parsers and the rules
                took[sort].append(spent_ms / (rounds * len(lines)))
    return took


def aimed_figures(took: dict[str, list[float]]) -> list[Figure]:
    return [
        Figure("policy: deciding about a plain line", "ms", Spread.of(took["plain"]), 0.3),
        Figure("policy: deciding about a complex line", "ms", Spread.of(took["complex"]), 6.0),
    ]


def plain_figures(took: dict[str, list[float]]) -> list[Figure]:
    return [
        Figure(f"policy: {sort} lines decided", "/s", Spread.of([1000 / ms for ms in each]))
        for sort, each in took.items()
    ]


def _check(lines: Sequence[str], rules: Sequence[str]) -> None:
    """A line that is refused because no parser is there would be decided in no time."""
    for line, rule in zip(lines, rules, strict=True):
        if rule in ("no-parser", "judge-failed", "read-in-two-ways"):
            raise MeasurementFailed(f"{line!r} was not judged: {rule}")
