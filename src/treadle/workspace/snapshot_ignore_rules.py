"""Reads the ignore rules that counted when a run started: of its commit, the user and Treadle."""

from treadle.workspace.blob_texts import ReadBounds, read_texts
from treadle.workspace.clone_git_dir import BUILD_PRODUCTS, Clone
from treadle.workspace.ignore_rules import IgnoreRules, parse_ignore_file
from treadle.workspace.object_integrity import without_replacements

IGNORE_FILE = ".gitignore"
_BOUNDS = ReadBounds(files=10_000)
_FOLDED_CASE = b"ignorecase = true"


async def read_ignore_rules(clone: Clone) -> IgnoreRules:
    """The rules of the snapshot, and the user's own of all projects and of this one."""
    git = without_replacements(clone.project.git)
    listing = await git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", clone.base)
    tracked = frozenset(filter(None, listing.split("\0")))
    files = [path for path in tracked if path.rpartition("/")[2] == IGNORE_FILE]
    texts = await read_texts(git, clone.base, files, _BOUNDS)
    fold_case = _FOLDED_CASE in clone.sources.disk_settings
    return IgnoreRules(
        {
            path.removesuffix(IGNORE_FILE): parse_ignore_file(text, fold_case=fold_case)
            for path, text in texts.items()
        },
        parse_ignore_file(_rules_of_user(clone), fold_case=fold_case),
        tracked,
    )


def _rules_of_user(clone: Clone) -> str:
    """Build products first, so that a rule of the user's can take them out.

    A link in place of a folder of products is none of the user's, either.
    """
    sources = clone.sources
    files = (sources.excludes, sources.repository / "info/exclude")
    products = [pattern.removesuffix("/") for pattern in BUILD_PRODUCTS]
    theirs = [
        file.read_text(encoding="utf-8", errors="surrogateescape")
        for file in files
        if file is not None and file.is_file()
    ]
    return "\n".join([*products, *theirs])
