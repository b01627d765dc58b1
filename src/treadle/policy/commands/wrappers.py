"""Rules for commands that run another command, which is then checked itself."""

from treadle.policy.commands.rule_syntax import Rule

_INSTEAD = "Run the inner command by itself."

RULES: tuple[Rule, ...] = (
    Rule(
        "timeout",
        "-k=text -s=text -v --kill-after=text --signal=text --preserve-status --foreground"
        " --verbose",
        "text",
        wraps=1,
        instead="Write: timeout 60 command.",
        allows=("timeout 60 npm test", "timeout -k 5 30 node dist/server.js"),
        refuses=("timeout 5 rm -rf src", "timeout 5", "timeout --made-up 5 ls"),
    ),
    Rule(
        "nice",
        "-# -n=number --adjustment=number",
        wraps=0,
        instead=_INSTEAD,
        allows=("nice -n 5 npm test",),
        refuses=("nice -n 5 rm -rf src", "nice"),
    ),
    Rule(
        "nohup",
        "",
        wraps=0,
        instead=_INSTEAD,
        allows=("nohup npm run dev > /tmp/dev.log 2>&1 &",),
        refuses=("nohup rm -rf src", "nohup"),
    ),
    Rule(
        "env",
        "",
        wraps=0,
        instead="Set variables before a command: CI=1 npm test. All of them are not printed.",
        allows=("env CI=1 npm test",),
        refuses=("env", "env -i FOO=1 rm -rf src", "env PATH=/tmp ls", "env -S 'rm x'"),
    ),
)
