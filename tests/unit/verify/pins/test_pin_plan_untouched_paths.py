"""A pinned tree differs from the work by judges, shadows and manifests alone."""

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.verify.tree_pairs import Files, Work, pair_of, plan_of
from treadle.verify.commands.command_files import read_command
from treadle.verify.judges.judge_files import judge_kind
from treadle.verify.manifests.manifest_merge import manifest_merge
from treadle.verify.pins.shadow_files import find_shadows, installed_reason

WORDS = st.sampled_from(
    [
        "app",
        "cart",
        "src",
        "lib",
        "docs",
        "web",
        "money",
        "types",
        "json",
        "main",
        "util",
        "tools",
        "core",
    ]
)
ENDINGS = st.sampled_from(
    ["py", "js", "ts", "go", "rb", "php", "md", "css", "sql", "json", "sh", "c"]
)
PATHS = st.builds(
    lambda folders, name, ending: "/".join([*folders, f"{name}.{ending}"]),
    st.lists(WORDS, max_size=3),
    WORDS,
    ENDINGS,
)
TREES = st.dictionaries(PATHS, st.sampled_from(["a", "b"]), max_size=8)
COMMANDS = st.sampled_from(
    [
        "python3 -m pytest",
        "python3 -m unittest discover",
        "npm test",
        "make check",
        "go test ./...",
        "sh tools/app.sh",
        "cd web && node main.js | grep -q x",
        "PYTHONPATH=src python3 app/main.py",
        "diff app.md docs/app.md",
        "echo 'not closed",
    ]
)


@given(command=COMMANDS, base=TREES, work=TREES)
def test_a_path_that_is_no_judge_no_shadow_and_no_manifest_is_never_touched(
    command: str, base: Files, work: Files
) -> None:
    # A path is a file or a folder, not both.
    work = {path: text for path, text in work.items() if not _collides(path, {**base, **work})}
    base = {path: text for path, text in base.items() if not _collides(path, {**base, **work})}
    changes = {**dict.fromkeys(base.keys() - work.keys()), **work}
    plan = plan_of(Work(command, base, changes))
    trees = pair_of(base, work)
    files = read_command(command, trees)
    known = {*files.judges, *find_shadows(trees, files)}

    assert {
        pin.path
        for pin in plan.files
        if not (
            pin.path in known
            or judge_kind(pin.path)
            or manifest_merge(pin.path)
            or installed_reason(pin.path, trees)
        )
    } == set()


def _collides(path: str, files: Files) -> bool:
    return any(other.startswith(f"{path}/") or path.startswith(f"{other}/") for other in files)
