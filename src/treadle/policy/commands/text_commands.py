"""Rules for commands that search for text, or print it, also changed."""

from treadle.policy.commands.rule_syntax import Rule

_READS = "Read files of the project, and print: the shell's > writes."
_AROUND = "-A=text -B=text -C=text -m=text"

RULES: tuple[Rule, ...] = (
    Rule(
        "cat head tail tac nl wc rev fold paste column uniq comm md5sum sha1sum sha256sum sha512sum"
        " shasum cksum expand unexpand fmt",
        "",
        "read...",
        stdin=True,
        never="-f -F --follow --retry --pid --files0-from --check",
        instead=_READS,
        allows=("cat README.md | head -50", "tail -n 20 /tmp/dev.log", "sort x | uniq -c"),
        refuses=("cat ~/.netrc", "cat .env", "cat /proc/1/environ", "cat", "tail -f x.log"),
    ),
    Rule(
        "sort",
        "-t=text -k=text --field-separator=text",
        "read...",
        stdin=True,
        never="-o --output --compress-program --files0-from -T --temporary-directory",
        instead="Write its output with > inside the project.",
        allows=("sort -u x.txt", "ls | sort -rn | head -5"),
        refuses=("sort -o src/app.ts x", "sort --compress-program=./e big.txt", "sort --out=x y"),
    ),
    Rule(
        "cut",
        "-d=text -f=text -c=text --delimiter=text --output-delimiter=text",
        "read...",
        stdin=True,
        instead=_READS,
        allows=("cut -d: -f1 x",),
        refuses=("cut -f1 /etc/shadow",),
    ),
    Rule("tr", "", "text text", needs=1, allows=("tr a-z A-Z < x",), refuses=("tr a b c",)),
    Rule(
        "seq",
        "-s=text -f=text",
        "text text text",
        needs=1,
        never_text=r"\d{7}|^-?0?\.\d{3}",
        instead="Use a smaller range.",
        allows=("seq 1 10", "seq 0 0.1 1"),
        refuses=("seq 1 999999999", "seq 1 0.0001 99999"),
    ),
    Rule(
        "diff cmp",
        "-I=text -x=text -L=text -F=text --label=text --exclude[text]",
        "read read",
        needs=2,
        instead="Compare two paths of the project.",
        allows=("diff -u a.txt b.txt",),
        refuses=("diff --to-file=/etc/passwd a", "diff a /etc/shadow"),
    ),
    Rule(
        "jq",
        "--arg=text,text --argjson=text,text --slurpfile=text,read --rawfile=text,read"
        " --indent=text",
        "jq read...",
        needs=1,
        never="-f -L --from-file --library-path --run-tests",
        instead="Filter files of the project, without env, import and -f.",
        allows=("jq -r .version package.json", "cat x.json | jq '.a.env'"),
        refuses=("jq -n env", "jq '$ENV.ANTHROPIC_API_KEY' -n", "jq -f x y", "jq -L . x"),
    ),
    Rule(
        "sed",
        "-e=sed --expression=sed -i[suffix] --in-place[suffix] -l=text",
        "text...",
        never="-f --file",
        check="sed",
        instead="Use s, d, p and their like; or the Edit tool.",
        allows=("sed -n '1,20p' a", "sed -i -e 's/a/b/' src/a.ts"),
        refuses=("sed 's/x/id/e' f", "sed -n '1e id' x", "sed 'w out' x"),
    ),
    Rule(
        "awk gawk mawk",
        "-F=text -v=text",
        "awk read...",
        needs=1,
        never="-f -i -l -e -E -d -o -p --file --include --load --source --exec --dump-variables"
        " --pretty-print --profile",
        instead="Print, and redirect with the shell: awk '{print $1}' file > other.",
        allows=("awk '{print $1}' x.txt", "awk -F: '$3 > 5 {s += $1} END {print s}' x"),
        refuses=("awk 'BEGIN{system(\"id\")}'", "awk '{print > \".treadle/x\"}' f"),
    ),
    Rule(
        "grep egrep fgrep",
        f"{_AROUND} -e=text --regexp=text -f=read --file=read -d=text -D=text --include=filter"
        " --exclude=text --exclude-dir=text --label=text --group-separator=text",
        "text read...",
        check="grep",
        instead="Search the project: grep -rn PATTERN src.",
        allows=("grep -rn 'rm -rf' docs/", "grep -n 'a;b' src/x.ts"),
        refuses=(
            "grep -f .env -r .",
            "grep -rh . --include=.env .",
            "grep -r . --include='.en?' .",
        ),
    ),
    Rule(
        "rg",
        f"{_AROUND} -e=text --regexp=text -f=read --file=read -g=filter --glob=filter"
        " --iglob=filter -t=text -T=text -r=text --replace=text -M=text -d=text -j=text -E=text"
        " --type=text --type-not=text --sort=text --sortr=text --max-count=text --max-depth=text"
        " --max-columns=text --color=text --encoding=text --threads=text --context=text"
        " --after-context=text --before-context=text",
        "text read...",
        never="--pre --pre-glob --hostname-bin",
        check="grep",
        instead="Search the project: rg PATTERN src.",
        allows=("rg -n TODO src", "rg --files", "rg -g '!.env' -g '*.ts' x"),
        refuses=("rg --pre ./e x", "rg --hostname-bin=./e x", "rg -f .env x", "rg -g .env x"),
    ),
    Rule(
        "fd fdfind",
        "-d=text -e=text -E=text -t=text -S=text -c=text --max-depth=text --min-depth=text"
        " --type=text --extension=text --exclude=text --size=text --color=text --max-results=text"
        " --changed-within=text --changed-before=text --format=text",
        "text look...",
        never="-x -X -l --exec --exec-batch --list-details",
        instead="Only look: run a second command on what it prints.",
        allows=("fd -e ts . src", "fd -H -t f config"),
        refuses=("fd .env -x cat", "fd x -X rm", "fd x /root", "fd -l x"),
    ),
)
