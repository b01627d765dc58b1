"""A command is read for what it does with the files it names."""

import pytest

from treadle.verify.commands.call_files import read_call, unwrap
from treadle.verify.commands.file_mentions import FileUse, ShellCall
from treadle.verify.commands.shell_calls import read_calls


def uses(line: str) -> dict[str, FileUse]:
    calls = read_calls(line) or ()
    return {mention.word: mention.use for mention in read_call(calls[0]).mentions}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("./a.sh b", {"./a.sh": "script", "b": "mention"}),
        ("python3 -W error a.py b", {"a.py": "script", "b": "mention"}),
        ("python3 -m a.b c", {"a.b": "module", "c": "mention"}),
        ("python3 -m json.tool a.json", {"a.json": "mention"}),
        ("python3 -m pytest a.py::b --rootdir=c", {"a.py": "test", "c": "test"}),
        ("python3 -m coverage run a.py", {"a.py": "script"}),
        ("python3 -c 'open(\"a.txt\")'", {"open": "mention", "a.txt": "mention"}),
        (
            "node -r ./a.js --import=./b.mjs c.js",
            {"./a.js": "loaded", "./b.mjs": "loaded", "c.js": "script"},
        ),
        ("node --test a.js", {"a.js": "test"}),
        ("node --check a.js", {"a.js": "mention"}),
        ("deno run -A a.ts", {"a.ts": "script"}),
        ("bun a.ts", {"a.ts": "script"}),
        ("go run ./cmd/a", {"./cmd/a/*.go": "script"}),
        ("go test ./...", {"./...": "test", "go": "loaded"}),
        ("cargo run --bin", {"src/main.rs": "script"}),
        ("php -c a.ini b.php", {"a.ini": "loaded", "b.php": "script"}),
        ("/usr/bin/ruby -Ilib a.rb", {"a.rb": "script"}),
        ("tools/phpunit a.php", {"a.php": "test", "tools/phpunit": "loaded"}),
        (". ./a.sh b", {"./a.sh": "sourced"}),
        ("grep -q b a.txt", {"a.txt": "mention"}),
        ("grep -f b a.txt", {"b": "mention", "a.txt": "mention"}),
        ("diff -u a -", {"a": "compared", "-": "compared"}),
        ("sh < a.sh", {"a.sh": "script"}),
        ("./b < a.txt", {"./b": "script", "a.txt": "input"}),
        ("BASH_ENV=a sh b", {"b": "script", "a": "loaded"}),
        ("test -f a", {"a": "mention"}),
    ],
)
def test_files_are_used_so(line: str, expected: dict[str, FileUse]) -> None:
    assert uses(line) == expected


@pytest.mark.parametrize(
    ("words", "program"),
    [
        ("env -i A=1 ./a", "./a"),
        ("timeout -k 5 60 ./a", "./a"),
        ("nice -n 5 nohup ./a", "./a"),
        ("uv run --with x python a.py", "python a.py"),
        ("poetry run pytest", "pytest"),
        ("bundle exec rspec", "rspec"),
        ("npx --yes vitest run", "vitest run"),
        ("coverage run -m pytest", "python -m pytest"),
        ("env", ""),
        ("./a env", "./a env"),
    ],
)
def test_a_program_is_found_behind_what_starts_it(words: str, program: str) -> None:
    assert " ".join(unwrap(words.split())) == program


def test_code_and_tasks_are_left_to_be_read() -> None:
    shell = read_call(ShellCall(("bash", "-euc", "./a && ./b")))
    task = read_call(ShellCall(("npm", "run", "check")))

    assert (shell.code, task.task, task.is_judge) == ("./a && ./b", ("npm", "run", "check"), True)
