"""Rules for a project's own tools: test runners, linters, bundlers, servers.

They run code and settings of the project with any options, so options are not listed one by one:
any is allowed as long as no word leads out of the project. Options that load other code are listed:
they are refused, or their value must be the name of an installed package.
"""

from treadle.policy.commands.rule_syntax import Rule, names

NEVER = (
    "--rulesdir --resolve-plugins-relative-to --init-hook --load-plugins --python-executable --eval"
    " --interactive --repl --exec --exec_only --compilers --ui --reporter-options --globalSetup"
    " --globalTeardown --resolver --transform --setupFiles --setupFilesAfterEnv --autoload-file"
    " --node-arg --node-arguments --node-option --node-options --cmd --raw-command --command"
    " --post-run-command --pdb --trace --pdbcls --script-shell --shell --build.cmd --custom-command"
    # Options that outlive the command, reach other machines, or open a window.
    " --daemon --daemonize --detach --pastebin --pythonpath --open"
    " --testSequencer --snapshotSerializers --watchPlugins --prettierPath --dependencyExtractor"
    " --haste --execArgv --onSuccess --onStart --onEnd --onBundleStart --onBundleEnd --onError"
    " --open-app --open-app-name --doctorTest --doctorInstall --config-register"
    " --custom-formatter --importer --pipe"
)
# Options that take the name of an installed package, and would take a file of code as well.
NAMED = (
    "--reporter=plugin --reporters=plugin --formatter=plugin --format=plugin --parser=plugin"
    " --plugin=plugin --plugins=plugin --preset=plugin --presets=plugin --runner=plugin"
    " --testEnvironment=plugin --env=plugin --environment=plugin --testRunner=plugin --pool=plugin"
    " --compiler=plugin --configPlugin=plugin --custom-syntax=plugin --use=plugin"
    " --packageManager=plugin -r=preload --require=preload --import=preload --loader=preload"
)
# Files that a tool writes its findings to: they may lie in /tmp, too.
WRITTEN = (
    "--output-file=write --outputFile=write --output=write --junitxml=write --junit-xml=write"
    " --log-junit=write --outDir=write --outdir=write --outfile=write --coverageDirectory=write"
    " --report-file=write --junitfile=write --jsonfile=write --outputJson=write --metafile=write"
    " --output-dir=write --outputDir=write --out-dir=write --out-file=write --outFile=write"
    " --output-path=write --outputPath=write --cpu-prof-dir=write --heap-prof-dir=write"
    " --coverage.reportsDirectory=write --tsBuildInfoFile=write --declarationDir=write"
    " --generateTrace=write --generateCpuProfile=write"
)
# Templates that come with a starter; any other template is foreign code.
TEMPLATES = "--template=template -t=template --example=template -e=template --preset=template"
# Options in their own right, although others begin with them. Any other beginning of an option
# above is refused with it: many tools take `--requ` for `--require`.
WHOLE = names(
    "--init --build --run --test --report --config --watch --python --script --setup --global"
    " --node --pre --inspect --on --doctor"
)
INSTEAD = "Use what the project's own settings say."


def make_tool_rule(
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
        # What a runner of scripts does not know, it passes over: the next word is its script.
        f"{NAMED} {flags}" if check == "script-runner" else f"{NAMED} {WRITTEN} {flags}",
        style="open",
        never=never,
        check=check,
        instead=INSTEAD,
        allows=(allows or f"{name} src",),
        refuses=(refuses or f"{name} --config /tmp/evil.toml", f"{name} --output=.treadle/x"),
    )


def make_tool_rules(listed: str) -> tuple[Rule, ...]:
    return tuple(make_tool_rule(name) for name in listed.split())
