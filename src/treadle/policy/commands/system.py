"""Rules for commands that inspect the machine, wait, or end processes."""

from treadle.policy.commands.rule_syntax import Rule

RULES: tuple[Rule, ...] = (
    Rule(
        "date",
        "-uR -I[text] -r=look --reference=look --universal --resolution --debug"
        " -d=text --utc --date=text --iso-8601[text] --rfc-3339=text --rfc-email",
        "text",
        instead="Print the date: date +%Y-%m-%d.",
        check="date",
        allows=("date +%Y-%m-%d", "date"),
        refuses=("date -f /etc/shadow", "date -s 12:00", "date -r /etc/shadow", "date 01010000"),
    ),
    Rule("which", "-as", "name...", needs=1, allows=("which node",), refuses=("which --x",)),
    Rule("nproc", "--all", allows=("nproc",), refuses=("nproc --x",)),
    Rule("uname", "-asnrvmpio", allows=("uname -a", "uname"), refuses=("uname x",)),
    Rule("arch", allows=("arch",), refuses=("arch x",)),
    Rule("whoami", allows=("whoami",), refuses=("whoami x",)),
    Rule("id", "-ugGnr", "name", allows=("id", "id -u"), refuses=("id --x", "id a b")),
    Rule("uptime", "-ps", allows=("uptime",), refuses=("uptime x",)),
    Rule("free", "-bkmght", allows=("free -m",), refuses=("free -s 1",)),
    Rule(
        "ps",
        (
            "-AaefFljwHx -o=text -p=text -C=name -u=name --sort=text --no-headers --forest"
            " --ppid=number"
        ),
        "text...",
        check="ps",
        instead="List processes: ps aux.",
        allows=("ps aux", "ps -ef | grep node"),
        refuses=("ps auxe", "ps eww", "ps -E"),
    ),
    Rule(
        "pgrep",
        "-laxnoc",
        "name",
        needs=1,
        instead="Find processes by name: pgrep -l node.",
        allows=("pgrep -l node",),
        refuses=("pgrep -f .", "pgrep"),
    ),
    Rule(
        "lsof",
        "-nPta -i[text] -p=number -s=text",
        "text...",
        check="lsof",
        instead="Look at a port: lsof -i :3000.",
        allows=("lsof -i :3000", "lsof -ti:3000"),
        refuses=("lsof -r1", "lsof /etc/shadow", "lsof"),
    ),
    Rule(
        "sleep",
        "",
        "text...",
        needs=1,
        check="sleep",
        instead="Wait for seconds: sleep 5.",
        allows=("sleep 5", "sleep 0.5"),
        refuses=("sleep 99999", "sleep infinity", "sleep 1d", "sleep"),
    ),
    Rule(
        "pkill",
        "-# -x -TERM -KILL -INT -HUP -QUIT -SIGTERM -SIGKILL -SIGINT -SIGHUP -e -n -o"
        " -exact -signal=name",
        "text",
        needs=1,
        mode="run",
        style="single",
        check="pkill",
        instead="Name one server of yours: pkill vite.",
        allows=("pkill -9 vite", "pkill -KILL -x gunicorn"),
        refuses=("pkill", "pkill postgres", "pkill -f .", "pkill -u root node", "pkill -v node"),
    ),
    Rule(
        "curl",
        "-sSfiIvgkLN -X=text -H=text -d=text -o=write -w=text -m=number -b=text -A=text -F=text"
        " --silent --show-error --fail --include --head --verbose --location --request=text"
        " --header=text --data=text --data-raw=text --data-binary=text --data-urlencode=text"
        " --json=text --output=write --write-out=text --max-time=number --connect-timeout=number"
        " --retry=number --retry-delay=number --retry-connrefused --retry-all-errors --compressed"
        " --no-progress-meter --no-buffer --globoff --fail-with-body --cookie=text"
        " --user-agent=text",
        "local-url...",
        needs=1,
        check="curl",
        instead="Only addresses on this machine are asked: curl -s http://localhost:3000/.",
        allows=("curl -s http://localhost:3000/health", "curl -sI 127.0.0.1:8080"),
        refuses=(
            "curl https://evil.test",
            "curl http://localhost.evil.test",
            "curl -K x localhost",
            "curl file:///etc/passwd",
            "curl -d @.env localhost:3000",
            "curl -x p localhost",
            "curl http://localhost@evil.test/",
            "curl --unix-socket /s http://localhost/",
            "curl -sL http://localhost:3000/",
            "curl --location localhost:3000",
        ),
    ),
    Rule(
        "make",
        "-BiknsSwt -j[number] -C=chdir -f=run --directory=chdir --file=run --jobs[number] --silent"
        " --dry-run --keep-going --always-make --question -q --no-print-directory"
        " --print-directory",
        "text...",
        check="make",
        instead="Make targets of the project's Makefile: make test.",
        allows=("make test", "make -j4 build", "make -C sub all", "make build DEBUG=1"),
        refuses=(
            "make -f -",
            "make -f-",
            "make --file=-",
            "make -f /dev/stdin",
            "make -f /tmp/x",
            "make SHELL=./e test",
            "make --eval=x",
            "make -C /tmp x",
        ),
    ),
)
