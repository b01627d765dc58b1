"""Rules for commands that inspect the machine, wait, end processes, or run another command."""

from treadle.policy.commands.rule_syntax import Rule

SYSTEM: tuple[Rule, ...] = (
    Rule(
        "date",
        "-d=text --date=text -r=look --reference=look",
        "text",
        never="-s --set -f --file",
        never_text=r"^\d{8,}",
        instead="Print the date: date +%Y-%m-%d.",
        allows=("date +%Y-%m-%d", "date"),
        refuses=("date -f /etc/shadow", "date -s 12:00", "date -r /etc/shadow", "date 01010000"),
    ),
    Rule(
        "which nproc uname arch whoami id uptime free",
        "",
        "text...",
        never="-s --seconds",
        allows=("which node", "uname -m", "id -u", "free -m"),
        refuses=("free -s 1", "which $(rm x)"),
    ),
    Rule(
        "ps",
        "-o=text -p=text -C=text -u=text",
        "text...",
        never="-E",
        never_text=r"^[a-z]*e[a-z]*$",
        instead="List processes without their variables: ps aux.",
        allows=("ps aux", "ps -ef | grep node"),
        refuses=("ps auxe", "ps eww", "ps -E"),
    ),
    Rule(
        "pgrep lsof ss netstat fuser",
        "",
        "text...",
        never="-k -K --kill -r",
        instead="Find processes by name or port: pgrep -l node, lsof -i :3000.",
        allows=("pgrep -af vite", "lsof -ti:3000", "ss -ltnp", "fuser 3000/tcp"),
        refuses=("lsof -r1", "ss -K dst 10.0.0.1", "fuser -k 3000/tcp"),
    ),
    Rule(
        "sleep",
        "",
        "text...",
        needs=1,
        never_text=r"\d{4}|[4-9]\d\d|\d\dm|[dhi]",
        instead="Wait for seconds: sleep 5.",
        allows=("sleep 5", "sleep 0.5"),
        refuses=("sleep 99999", "sleep infinity", "sleep 1d", "sleep"),
    ),
    Rule(
        "pkill",
        "-signal=text",
        "text",
        needs=1,
        mode="run",
        never="-u -U -g -G -P -s -t -v -inverse -parent -session -terminal -uid -euid -group",
        style="single",
        check="pkill",
        instead="Name one server of yours: pkill vite.",
        allows=("pkill -9 vite", "pkill -KILL -x gunicorn"),
        refuses=("pkill", "pkill -f 'node|claude'", "pkill postgres"),
    ),
    Rule(
        "nc",
        "-w=text -q=text",
        "local-url text",
        needs=2,
        never="-l -e -c -k -x -X -U",
        instead="Only ports of this machine are asked: nc -z localhost 3000.",
        allows=("nc -z localhost 3000", "printf 'PING\\r\\n' | timeout 2 nc 127.0.0.1 7878"),
        refuses=("nc -l 1", "nc evil.test 80", "nc -e sh localhost 1"),
    ),
    Rule(
        "curl",
        # The words after other options count as addresses, and are refused.
        "-X=text -H=text -d=text -o=write -w=text -m=text -b=text -A=text -F=text -c=write -u=text"
        " -D=write --cookie-jar=write --user=text --form=text --request=text --header=text"
        " --data=text --data-raw=text --data-binary=text --data-urlencode=text --json=text"
        " --output=write --write-out=text --max-time=text --connect-timeout=text --retry=text"
        " --retry-delay=text --cookie=text --user-agent=text",
        "local-url...",
        needs=1,
        never="-K -T -x -E -O -J --config --remote-name --remote-name-all --remote-header-name",
        check="curl",
        instead="Only addresses on this machine are asked: curl -s http://localhost:3000/.",
        allows=("curl -s http://localhost:3000/health", "curl -sI 127.0.0.1:8080"),
        refuses=(
            "curl https://evil.test",
            "curl http://localhost.evil.test",
            "curl -K x localhost",
        ),
    ),
)

_INSTEAD = "Run the inner command by itself."

WRAPPERS: tuple[Rule, ...] = (
    Rule(
        "timeout",
        "-k=text -s=text --kill-after=text --signal=text",
        "text",
        wraps=1,
        instead="Write: timeout 60 command.",
        allows=("timeout 60 npm test", "timeout -k 5 30 node dist/server.js"),
        refuses=("timeout 5 rm -rf src", "timeout 5"),
    ),
    Rule(
        "nice nohup",
        "-n=text --adjustment=text",
        wraps=0,
        instead=_INSTEAD,
        allows=("nice -n 5 npm test", "nohup npm run dev > /tmp/dev.log 2>&1 &"),
        refuses=("nice -n 5 rm -rf src", "nice", "nohup rm -rf src"),
    ),
    Rule(
        "env",
        "",
        wraps=0,
        never="-i -u -S -C -P - --ignore-environment --unset --split-string --chdir --argv0",
        instead="Set variables before a command: CI=1 npm test. All of them are not printed.",
        allows=("env CI=1 npm test",),
        refuses=("env", "env -i FOO=1 rm -rf src", "env PATH=/tmp ls", "env -S 'rm x'"),
    ),
    Rule(
        "xargs",
        "-n=text -P=text -I=text -L=text -d=text -a=read -s=text -E=text --max-args=text"
        " --max-procs=text --delimiter=text --arg-file=read --max-lines=text",
        wraps=0,
        never="--replace --process-slot-var -p -o --interactive --open-tty",
        instead="Give it one command, which is judged with a name of the project.",
        allows=("git ls-files | xargs wc -l", "lsof -ti:3000 | xargs -r kill"),
        refuses=("ls | xargs rm", "ls | xargs -I{} sh -c '{}'", "echo src | xargs -I{} rm -rf {}"),
    ),
    Rule(
        "source .",
        "",
        "run",
        needs=1,
        check="source",
        instead="Run the script: bash x.sh; or write its commands on the line.",
        allows=("source .venv/bin/activate",),
        refuses=("source ./x.sh", ". /tmp/venv/bin/activate"),
    ),
)
