"""How a project's own tools are ruled: test runners, linters, bundlers, servers.

They run code and settings of the project whatever their options are, so their options are not
listed one by one: any is taken as long as no word leads out of the project, and none of those that
name other code.
"""

from treadle.policy.commands.language import Rule

# Options that bring code or settings in by themselves, whatever tool they belong to.
NEVER = (
    "--rulesdir --resolve-plugins-relative-to --plugin --plugins --require -r --loader --import"
    " --init-hook --load-plugins --python-executable --eval -e --interactive -i --repl --exec"
    " --rcfile --compilers --ui --reporter-options --globalSetup"
    " --globalTeardown --testEnvironment --runner --resolver --transform --setupFiles"
)
INSTEAD = "Use what the project's own settings say."


def tool(
    name: str,
    *,
    check: str = "",
    never: str = NEVER,
    allows: str = "",
    refuses: str = "",
) -> Rule:
    """A rule for a tool of the project, with one example each way."""
    return Rule(
        name,
        style="open",
        never=never,
        check=check,
        instead=INSTEAD,
        allows=(allows or f"{name} src",),
        refuses=(refuses or f"{name} --config /tmp/evil.toml", f"{name} --output=.treadle/x"),
    )


def tools(names: str) -> tuple[Rule, ...]:
    return tuple(tool(name) for name in names.split())
