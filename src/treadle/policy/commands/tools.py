"""How a project's own tools are ruled: test runners, linters, bundlers, servers.

They run code and settings of the project whatever their options are, so their options are not
listed one by one: any is taken as long as no word leads out of the project. Those that bring in
other code are listed: refused, or with a value that can only be the name of an installed package.
"""

from treadle.policy.commands.language import Rule

NEVER = (
    "--rulesdir --resolve-plugins-relative-to --init-hook --load-plugins --python-executable --eval"
    " --interactive --repl --exec --exec_only --compilers --ui --reporter-options --globalSetup"
    " --globalTeardown --resolver --transform --setupFiles --setupFilesAfterEnv --autoload-file"
    " --node-arg --node-arguments --node-option --node-options --cmd --raw-command --command"
    " --post-run-command --pdb --trace --pdbcls --script-shell --shell --build.cmd --custom-command"
    # What outlives the command, leaves the machine, or opens a window that nobody sees.
    " --daemon --daemonize --pastebin --pythonpath --open"
)
# Options that take the name of an installed package, and would take a file of code as well.
NAMED = (
    "--reporter=plugin --reporters=plugin --formatter=plugin --format=plugin --parser=plugin"
    " --plugin=plugin --plugins=plugin --preset=plugin --runner=plugin --testEnvironment=plugin"
    " --env=plugin -r=preload --require=preload --import=preload --loader=preload"
)
INSTEAD = "Use what the project's own settings say."


def tool(
    name: str,
    *,
    flags: str = "",
    check: str = "tool",
    never: str = NEVER,
    allows: str = "",
    refuses: str = "",
) -> Rule:
    """A rule for a tool of the project, with an example each way; `flags` go before the usual."""
    return Rule(
        name,
        f"{NAMED} {flags}",
        style="open",
        never=never,
        check=check,
        instead=INSTEAD,
        allows=(allows or f"{name} src",),
        refuses=(refuses or f"{name} --config /tmp/evil.toml", f"{name} --output=.treadle/x"),
    )


def tools(names: str) -> tuple[Rule, ...]:
    return tuple(tool(name) for name in names.split())
