"""Rules for commands that read text and print it changed."""

from treadle.policy.commands.language import Rule

_GREP = (
    "-# -EFGPabchHIiLlnoqRrsvwxyzZuU -e=text -m=number -A=number -B=number -C=number"
    " -d=text -D=text"
    " --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp=text --ignore-case"
    " --no-ignore-case --invert-match --word-regexp --line-regexp --count --color[text]"
    " --colour[text] --files-without-match --files-with-matches --max-count=number --only-matching"
    " --quiet --silent --no-messages --byte-offset --with-filename --no-filename --line-number"
    " --null --null-data --after-context=number --before-context=number --context=number --text"
    " --binary-files=text --include=text --exclude=text --exclude-dir=text --recursive"
    " --dereference-recursive --initial-tab --line-buffered --label=text"
)
_SORT = (
    "-bdfgiMhnRrVcCmsuz -k=text -t=text --ignore-leading-blanks --dictionary-order --ignore-case"
    " --general-numeric-sort --human-numeric-sort --numeric-sort --random-sort --reverse --unique"
    " --version-sort --key=text --field-separator=text --check[text] --merge --stable"
    " --zero-terminated --sort=text --parallel=number -S=text"
)
_DIFF = (
    "-# -abBdeEiNnpqrsStTuwyZc -U=number -C=number -I=text -W=number -x=text -L=text --brief"
    " --unified[number] --context[number] --side-by-side --recursive --new-file --ignore-case"
    " --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-trailing-space"
    " --strip-trailing-cr --color[text] --exclude=text --label=text --suppress-common-lines"
    " --width=number --report-identical-files --minimal --text --no-dereference"
)
_JQ = (
    "-ncrRsSeCMaj --null-input --compact-output --raw-output --raw-input --slurp --sort-keys"
    " --exit-status --color-output --monochrome-output --ascii-output --join-output --tab"
    " --indent=number --arg=text,text --argjson=text,text --slurpfile=text,read"
    " --rawfile=text,read --raw-output0 --stream --seq"
)
_RG = (
    "-# -iSsvwxFPUlLcnNHhopqau0zI. -e=text -g=text -t=text -T=text -A=number -B=number -C=number"
    " -m=number -r=text -M=number -d=number -j=number --files --files-with-matches"
    " --files-without-match --hidden --no-ignore --no-ignore-vcs --ignore-case --smart-case"
    " --case-sensitive --fixed-strings --word-regexp --multiline --multiline-dotall --count"
    " --count-matches --line-number --no-line-number --no-heading --heading --with-filename"
    " --no-filename --only-matching --glob=text --iglob=text --type=text --type-not=text"
    " --type-list --after-context=number --before-context=number --context=number"
    " --max-count=number"
    " --max-depth=number --replace=text --color=text --json --stats --sort=text --sortr=text"
    " --trim --vimgrep --pcre2 --invert-match --max-columns=number --quiet --no-messages --null"
    " --regexp=text --text --passthru"
)
_INSTEAD = "Read files of the project, and print: the shell's > writes."

RULES: tuple[Rule, ...] = (
    Rule(
        "cat",
        "-AbeEnstTuv --number --show-all --squeeze-blank --number-nonblank --show-ends --show-tabs",
        "read...",
        stdin=True,
        instead=_INSTEAD,
        allows=("cat README.md | head -50", "cat << EOF > src/v.txt\nplain text\nEOF"),
        refuses=("cat ~/.netrc", "cat .env", "cat /proc/1/environ", "cat /dev/zero", "cat"),
    ),
    Rule(
        "head",
        "-# -n=number -c=text -qvz --lines=number --bytes=text --quiet --verbose",
        "read...",
        stdin=True,
        instead=_INSTEAD,
        allows=('head -n 5 "file with spaces.txt"', "head -50 x"),
        refuses=("head -c 100 /proc/self/environ", "head"),
    ),
    Rule(
        "tail",
        (
            "-# -n=text -c=text -qvzfF --lines=text --bytes=text --quiet --verbose"
            " --follow[text] --retry"
        ),
        "read...",
        stdin=True,
        check="tail",
        instead=_INSTEAD,
        allows=("tail -n 20 /tmp/dev.log",),
        refuses=("tail -f x.log", "tail --pid=1 x"),
    ),
    Rule(
        "tac",
        "-br -s=text",
        "read...",
        stdin=True,
        allows=("tac x.txt",),
        refuses=("tac /etc/shadow",),
    ),
    Rule(
        "nl",
        "-b=text -n=text -w=number -s=text -v=number",
        "read...",
        stdin=True,
        allows=("nl -b a x",),
        refuses=("nl /etc/shadow",),
    ),
    Rule(
        "wc",
        "-clmwL --bytes --chars --lines --words --max-line-length",
        "read...",
        stdin=True,
        instead=_INSTEAD,
        allows=("wc -l src/*.ts",),
        refuses=("wc --files0-from=/etc/passwd", "wc /etc/shadow"),
    ),
    Rule(
        "grep",
        _GREP,
        "text read...",
        check="grep",
        instead="Search the project: grep -rn PATTERN src.",
        allows=("grep -rn 'rm -rf' docs/", "grep -n 'a;b' src/x.ts", "ls | grep x"),
        refuses=("grep -f .env -r .", "grep -r API_KEY .env", "grep -r x /etc", "grep x"),
    ),
    Rule(
        "egrep",
        _GREP,
        "text read...",
        check="grep",
        allows=("egrep 'a|b' x",),
        refuses=("egrep -f x y",),
    ),
    Rule(
        "fgrep",
        _GREP,
        "text read...",
        check="grep",
        allows=("fgrep a x",),
        refuses=("fgrep -f x y",),
    ),
    Rule(
        "rg",
        _RG,
        "text read...",
        check="ripgrep",
        instead="Search the project: rg PATTERN src.",
        allows=("rg -n TODO src", "rg --files"),
        refuses=("rg --pre ./e x", "rg --hostname-bin=./e x", "rg -f x"),
    ),
    Rule(
        "sort",
        _SORT,
        "read...",
        stdin=True,
        instead="Write its output with > inside the project.",
        allows=("sort -u x.txt", "ls | sort -rn | head -5"),
        refuses=(
            "sort -o src/app.ts x",
            "sort --compress-program=./e big.txt",
            "sort --output=x y",
        ),
    ),
    Rule(
        "uniq",
        "-cdDiuz -f=number -s=number -w=number --count --repeated --unique --ignore-case",
        "read",
        stdin=True,
        instead="Write its output with > inside the project.",
        allows=("sort x | uniq -c",),
        refuses=("uniq a b",),
    ),
    Rule(
        "cut",
        "-szn -b=text -c=text -d=text -f=text --bytes=text --characters=text --delimiter=text"
        " --fields=text --complement --only-delimited --output-delimiter=text",
        "read...",
        stdin=True,
        allows=("cut -d: -f1 x",),
        refuses=("cut -f1 /etc/shadow",),
    ),
    Rule(
        "tr",
        "-cCdst --complement --delete --squeeze-repeats",
        "text text",
        needs=1,
        allows=("tr a-z A-Z < x.txt",),
        refuses=("tr --x",),
    ),
    Rule(
        "paste",
        "-sz -d=text",
        "read...",
        stdin=True,
        allows=("paste a b",),
        refuses=("paste /etc/shadow",),
    ),
    Rule(
        "column",
        "-tx -s=text -o=text -c=number",
        "read...",
        stdin=True,
        allows=("column -t x",),
        refuses=("column /etc/shadow",),
    ),
    Rule(
        "comm",
        "-123",
        "read read",
        needs=2,
        allows=("comm -12 a b",),
        refuses=("comm a /etc/shadow",),
    ),
    Rule(
        "fold",
        "-s -w=number",
        "read...",
        stdin=True,
        allows=("fold -w 80 x",),
        refuses=("fold /etc/shadow",),
    ),
    Rule("rev", "", "read...", stdin=True, allows=("rev x",), refuses=("rev /etc/shadow",)),
    Rule(
        "seq",
        "-w -s=text -f=text",
        "number number number",
        needs=1,
        check="seq",
        allows=("seq 1 10",),
        refuses=("seq 1 999999999",),
    ),
    Rule(
        "diff",
        _DIFF,
        "read read",
        needs=2,
        instead="Compare two paths of the project.",
        allows=("diff -u a.txt b.txt",),
        refuses=("diff --to-file=/etc/passwd a", "diff a /etc/shadow"),
    ),
    Rule(
        "cmp",
        "-sbl -n=number",
        "read read",
        needs=2,
        allows=("cmp a b",),
        refuses=("cmp a /etc/shadow",),
    ),
    Rule("md5sum", "-b", "read...", needs=1, allows=("md5sum x",), refuses=("md5sum -c x",)),
    Rule(
        "sha256sum", "-b", "read...", needs=1, allows=("sha256sum x",), refuses=("sha256sum -c x",)
    ),
    Rule(
        "jq",
        _JQ,
        "jq read...",
        needs=1,
        instead="Filter files of the project, without env, import and -f.",
        allows=("jq -r .version package.json", "cat x.json | jq '.a.env'"),
        refuses=("jq -n env", "jq '$ENV.ANTHROPIC_API_KEY' -n", "jq -f x y", "jq -L . x"),
    ),
    Rule(
        "sed",
        "-nErsz -e=sed -i[text] --quiet --silent --regexp-extended --expression=sed"
        " --in-place[text] --separate --null-data --debug",
        "text...",
        check="sed",
        instead="Use s, d, p and their like; or the Edit tool.",
        allows=("sed -n '1,20p' a", "sed -i -e 's/a/b/' src/a.ts", "ls | sed 's/x$//'"),
        refuses=(
            "sed 's/x/id/e' f",
            "sed -n '1e id' x",
            "sed 'w out' x",
            "sed -f x y",
            "sed -i 's/a/b/' .treadle/state.json",
        ),
    ),
    Rule(
        "awk",
        "-F=text -v=text",
        "awk read...",
        needs=1,
        instead="Print, and redirect with the shell: awk '{print $1}' file > other.",
        allows=(
            "awk '{print $1}' x.txt",
            "awk -F: '$3 > 5 {s += $1} END {print s}' x",
            "awk '/a|b/' x",
            "ls -l | awk '{sum+=$5} END {print sum/1024}'",
        ),
        refuses=(
            "awk 'BEGIN{system(\"id\")}'",
            "awk '{print > \".treadle/x\"}' f",
            "awk 'BEGIN{\"id\"|getline x}'",
            "awk -f x y",
            "awk '{print | \"sh\"}' x",
        ),
    ),
    Rule(
        "tee",
        "-a --append",
        "write...",
        mode="run",
        instead="Write to files inside the project.",
        allows=("npm test | tee test.log",),
        refuses=("echo x | tee .treadle/a", "echo x | tee /etc/hosts", "ls | tee $X"),
    ),
)
