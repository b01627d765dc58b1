"""A shell line is read into its commands, and where the output of each goes."""

import pytest

from treadle.verify.commands.file_mentions import ShellCall
from treadle.verify.commands.shell_calls import read_calls
from treadle.verify.commands.word_paths import TOP, UNKNOWN, is_folder, matching_paths, resolve_path


@pytest.mark.parametrize(
    ("line", "calls"),
    [
        (
            "cd tools && sh ./run.sh",
            (ShellCall(("cd", "tools")), ShellCall(("sh", "./run.sh"), "tools")),
        ),
        (
            "(cd web; npm test); ./a",
            (
                ShellCall(("cd", "web")),
                ShellCall(("npm", "test"), "web"),
                ShellCall(("./a",)),
            ),
        ),
        (
            "A=1 ./a 'b c' \"d e\" f\\ g",
            (ShellCall(("./a", "b c", "d e", "f g"), variables=(("A", "1"),)),),
        ),
        (
            'D=tools; sh "$D/a.sh" $E',
            (ShellCall(("sh", "tools/a.sh", UNKNOWN), variables=(("D", "tools"),)),),
        ),
        ("! ./a", (ShellCall(("./a",), is_negated=True),)),
        (
            "./a < in | ./b > out",
            (
                ShellCall(("./a",), reads=("in",), pipes_to=(1,)),
                ShellCall(("./b",), writes=("out",)),
            ),
        ),
        (
            'test "$(./a)" = x',
            (ShellCall(("test", UNKNOWN, "=", "x")), ShellCall(("./a",), inside=0)),
        ),
        (
            "[ $(<a.txt) = x ]",
            (ShellCall(("[", UNKNOWN, "=", "x", "]")), ShellCall(("cat", "a.txt"), inside=0)),
        ),
        (
            "diff <(./a) b",
            (ShellCall(("diff", UNKNOWN, "b")), ShellCall(("./a",), inside=0)),
        ),
        ('. "$PWD/a.sh"', (ShellCall((".", f"{TOP}/a.sh")),)),
        ("", ()),
        ("# nothing", ()),
    ],
)
def test_each_command_is_read(line: str, calls: tuple[ShellCall, ...]) -> None:
    assert read_calls(line) == calls


def test_a_script_knows_its_own_folder() -> None:
    text = 'cd "$(dirname "$0")/.."\n. "${0%/*}/a.sh"\n'

    calls = read_calls(text, "", "tools/ci") or ()

    assert [(call.words[0], call.folder) for call in calls if call.inside is None] == [
        ("cd", ""),
        (".", "tools"),
    ]
    assert resolve_path(calls[-1].words[1], "tools") == "tools/ci/a.sh"


def test_what_follows_an_alternative_is_told_from_it() -> None:
    first, other, last = read_calls("./a || ./b; ./c") or ()

    assert [first.is_followed_by(other), first.is_followed_by(last)] == [False, True]


@pytest.mark.parametrize(
    "text",
    ["echo 'not closed", "if true; then", "a" * 100_000, "(" * 80 + ")" * 80, "$(" * 80 + ")" * 80],
)
def test_a_line_that_cannot_be_read_is_not_guessed(text: str) -> None:
    assert read_calls(text) is None


def test_characters_of_other_languages_stay() -> None:
    assert read_calls("./größe {ä,ö}") == (ShellCall(("./größe", "{ä,ö}")),)


@pytest.mark.parametrize(
    ("word", "folder", "path"),
    [
        ("./a.sh", "tools", "tools/a.sh"),
        ("../a.sh", "tools", "a.sh"),
        ("../../a.sh", "tools", None),
        (".", "", ""),
        ("/usr/bin/a", "", None),
        ("~/a", "", None),
        (f"{TOP}tools/../a", "x", "a"),
        (f"{UNKNOWN}/a.sh", "x", "a.sh"),
        (UNKNOWN, "x", None),
        ("", "", None),
    ],
)
def test_a_word_names_a_path_from_the_top(word: str, folder: str, path: str | None) -> None:
    assert resolve_path(word, folder) == path


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("a.sh", ["a.sh"]),
        ("*.sh", ["a.sh", "b.sh"]),
        ("{a,b,c}.sh", ["a.sh", "b.sh"]),
        ("x/{y,z}/{1,2}", ["x/y/2"]),
        ("none", []),
    ],
)
def test_globs_and_braces_name_what_is_there(word: str, found: list[str]) -> None:
    assert sorted(matching_paths(word, "", {"a.sh", "b.sh", "x/y/2"})) == found


def test_a_folder_has_files_in_it() -> None:
    assert [is_folder(path, {"a/b.py"}) for path in ("a", "a/b.py", "", "c")] == [
        *(True, False, True, False),
    ]
