"""What a command writes, and where it takes code from, whichever option says so."""

from dataclasses import replace

import pytest

from tests.unit.policy.judging.judge_line import empty_disk, said
from treadle.policy.judging.shell_context import ShellContext
from treadle.wiring.policy import system_lookups

CONTEXT = ShellContext("/srv/calc")
LOOKS = replace(empty_disk(directories=frozenset({"/tmp"})), shfmt=system_lookups().shfmt)
OUTPUTS = (
    *("npx vitest bench --outputJson={}", "npx vitest run --outputFile {}"),
    *("npx vitest run --outputFile.json={}", "npx esbuild a.ts --metafile={}"),
    *("npx tsc --outDir {}", "pytest --log-file={}", "ruff check --cache-dir={}"),
    *("node --cpu-prof --cpu-prof-dir={} x.js",),
    *("git archive -o {} HEAD", "uv build -o {}", "phpunit --coverage-xml {}"),
)


def decided(line: str, *, destructive: bool = False) -> str:
    return said(line, replace(CONTEXT, destructive=destructive), LOOKS)


@pytest.mark.parametrize("line", OUTPUTS)
@pytest.mark.parametrize(
    ("target", "decision"),
    [
        ("out/x", "allow"),
        ("/tmp/x", "allow"),
        ("../x", "deny"),
        ("/etc/x", "deny"),
        (".treadle/x", "deny"),
        (".git/hooks/x", "deny"),
    ],
)
def test_output_goes_into_the_project_or_to_scratch(line: str, target: str, decision: str) -> None:
    assert decided(line.format(target)) == decision


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("sed -i.bak 's/a/b/' src/x.ts", "allow"),
        ("sed -i'' -e 's/a/b/' src/x.ts", "allow"),
        ("sed -Ei.orig 's/a/b/' src/x.ts", "allow"),
        ("sed --in-place=~ 's/a/b/' src/x.ts", "allow"),
        ("sed -i'.treadle/*' 's/a/b/' src/x.ts", "deny"),
        ("sed --in-place='bak/*' 's/a/b/' src/x.ts", "deny"),
        ("sed -n -i../x p src/x.ts", "deny"),
        ("sed -Ei.d/x 's/a/b/' src/x.ts", "deny"),
        # The backup is a file that others would obey.
        ("sed -i.json 's/a/b/' .mcp", "deny"),
        ("sed -i.toml 's/a/b/' treadle", "deny"),
        ("cp -b -S /../x a b", "deny"),
        ("cp --suffix=.json --backup x .mcp", "deny"),
        ("mktemp --suffix=/../x", "deny"),
    ],
)
def test_a_backup_is_a_file_beside_its_original(line: str, decision: str) -> None:
    assert decided(line) == decision


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("cp -vt build/assets public/logo.svg", "allow"),
        ("cp -t /tmp a b", "allow"),
        ("cp --target-directory=build -r src/a src/b", "allow"),
        ("cp -t /etc a", "deny"),
        ("cp -t build .env", "deny"),
        ("cp -t . x/treadle.toml", "deny"),
        ("cp -t build", "deny"),
        ("cp --parents .claude/x build", "deny"),
        ("mv -vt src/old src/a.ts src/b.ts", "allow"),
        ("mv -t /tmp src/a.ts", "deny"),
        ("mv -t src ../a.ts", "deny"),
        ("ln -st bin ../src/run.sh", "allow"),
        ("ln -st bin ../../run.sh", "deny"),
        ("ln -st src ../.env", "deny"),
        ("ln -s x/treadle.toml .", "deny"),
        ("ln -sr src/a bin/a", "allow"),
        ("ln -sr ../a bin/a", "deny"),
    ],
)
def test_where_things_go_may_stand_in_an_option(line: str, decision: str) -> None:
    assert decided(line, destructive=True) == decision


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("git archive HEAD src | wc -c", "allow"),
        ("git archive -o /tmp/x.tar HEAD", "deny"),
        ("cp -t build a", "deny"),
        ("sed -i.bak 's/a/b/' x", "deny"),
        ("git update-index --chmod=+x x", "deny"),
    ],
)
def test_who_only_reads_writes_by_no_option(line: str, decision: str) -> None:
    assert said(line, replace(CONTEXT, roles="read"), LOOKS) == decision


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("cd src && npm test", "allow"),
        ("cd /tmp && ls", "allow"),
        ("cd /tmp && node -e 'x'", "allow"),
        ("cd /tmp && npm --version", "allow"),
    ],
)
def test_tools_start_in_the_project_for_they_run_what_is_there(line: str, decision: str) -> None:
    assert decided(line) == decision


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("npm run build --prefix web", "allow"),
        ("uv run --project backend pytest backend/tests", "allow"),
        # Such an option names settings; what runs may start where the line does.
        ("uv run --project backend python ../x.py", "deny"),
        ("npm --prefix web exec tsx ../x.ts", "deny"),
        ("poetry -C backend run python ../x.py", "deny"),
        ("npm ci --prefix /tmp/x", "deny"),
    ],
)
def test_a_folder_of_settings_is_no_way_out(line: str, decision: str) -> None:
    assert decided(line) == decision


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("cat <<'E' | python3\nx\nE", "allow"),
        ("cat - <<'E' | python3\nx\nE", "allow"),
        ("cat <<< x | python3", "allow"),
        ("cat f <<'E' | python3\nx\nE", "deny"),
        ("tac <<'E' | python3\nx\nE", "deny"),
        ("cat 3<<'E' | python3\nx\nE", "deny"),
        ("cat <<'E' | tac | python3\nx\nE", "deny"),
        ("cat <<'E' | (ls; python3)\nx\nE", "deny"),
        ("cat f | python3", "deny"),
        ("python3 < <(cat f)", "deny"),
        ("python3 <(cat f)", "deny"),
    ],
)
def test_a_program_from_the_input_is_in_sight_if_it_is_a_text_of_the_line(
    line: str, decision: str
) -> None:
    assert decided(line) == decision
