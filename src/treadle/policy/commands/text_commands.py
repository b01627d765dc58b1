"""Rules for commands that read text and print it transformed."""

from treadle.policy.commands.rule_syntax import Rule

_SORT = (
    "-bdfgiMhnRrVcCmsuz -k=text -t=text --ignore-leading-blanks --dictionary-order --ignore-case"
    " --general-numeric-sort --human-numeric-sort --numeric-sort --random-sort --reverse --unique"
    " --version-sort --key=text --field-separator=text --check[text] --merge --stable"
    " --zero-terminated --sort=text --parallel=number -S=text --buffer-size=text --debug"
    " --ignore-nonprinting --month-sort --batch-size=number -T=write --temporary-directory=write"
    " --random-source=read"
)
_DIFF = (
    "-# -abBdeEiNnpqrsStTuwyZc -U=number -C=number -I=text -W=number -x=text -L=text --brief"
    " --unified[number] --context[number] --side-by-side --recursive --new-file --ignore-case"
    " --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-trailing-space"
    " --strip-trailing-cr --color[text] --exclude=text --label=text --suppress-common-lines"
    " --width=number --report-identical-files --minimal --text --no-dereference -v -F=text -X=read"
    " -D=text --ed --rcs --normal --exclude-from=read --expand-tabs --ifdef=text"
    " --ignore-file-name-case --no-ignore-file-name-case --ignore-matching-lines=text"
    " --ignore-tab-expansion --initial-tab --left-column --line-format=text --palette=text"
    " --show-c-function --show-function-line=text --speed-large-files --starting-file=text"
    " --suppress-blank-empty --tabsize=number --unidirectional-new-file --horizon-lines=number"
)
_JQ = (
    "-ncrRsSeCMaj --null-input --compact-output --raw-output --raw-input --slurp --sort-keys"
    " --exit-status --color-output --monochrome-output --ascii-output --join-output --tab"
    " --indent=number --arg=text,text --argjson=text,text --slurpfile=text,read"
    " --rawfile=text,read --raw-output0 --stream --seq --args --jsonargs --unbuffered"
)
_INSTEAD = "Read files of the project, and print: the shell's > writes."

RULES: tuple[Rule, ...] = (
    Rule(
        "cat",
        "-AbeEnstTuv --number --show-all --squeeze-blank --number-nonblank --show-ends --show-tabs"
        " --show-nonprinting",
        "read...",
        stdin=True,
        instead=_INSTEAD,
        allows=("cat README.md | head -50", "cat << EOF > src/v.txt\nplain text\nEOF"),
        refuses=("cat ~/.netrc", "cat .env", "cat /proc/1/environ", "cat /dev/zero", "cat"),
    ),
    Rule(
        "head",
        "-# -n=number -c=text -qvz --lines=number --bytes=text --quiet --verbose --silent"
        " --zero-terminated",
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
            " --follow[text] --retry --silent --zero-terminated"
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
        "-br -s=text --before --regex --separator=text",
        "read...",
        stdin=True,
        allows=("tac x.txt",),
        refuses=("tac /etc/shadow",),
    ),
    Rule(
        "nl",
        "-p -b=text -n=text -w=number -s=text -v=number -d=text -f=text -h=text -i=number -l=number"
        " --body-numbering=text --number-format=text --number-width=number --number-separator=text"
        " --starting-line-number=number --line-increment=number",
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
        "-cdDiuz -f=number -s=number -w=number --count --repeated --unique --ignore-case"
        " --all-repeated[word] --check-chars=number --group[word] --skip-chars=number"
        " --skip-fields=number --zero-terminated",
        "read",
        stdin=True,
        instead="Write its output with > inside the project.",
        allows=("sort x | uniq -c",),
        refuses=("uniq a b",),
    ),
    Rule(
        "cut",
        "-szn -b=text -c=text -d=text -f=text --bytes=text --characters=text --delimiter=text"
        " --fields=text --complement --only-delimited --output-delimiter=text --zero-terminated",
        "read...",
        stdin=True,
        allows=("cut -d: -f1 x",),
        refuses=("cut -f1 /etc/shadow",),
    ),
    Rule(
        "tr",
        "-cCdst --complement --delete --squeeze-repeats --truncate-set1",
        "text text",
        needs=1,
        allows=("tr a-z A-Z < x.txt",),
        refuses=("tr --x",),
    ),
    Rule(
        "paste",
        "-sz -d=text --delimiters=text --serial --zero-terminated",
        "read...",
        stdin=True,
        allows=("paste a b",),
        refuses=("paste /etc/shadow",),
    ),
    Rule(
        "column",
        "-txJLde -s=text -o=text -c=number -l=number -N=text -R=text -H=text -O=text -T=text"
        " -W=text -E=text -n=text --table --separator=text --output-separator=text"
        " --output-width=number --table-columns=text --table-right=text --table-hide=text"
        " --table-noheadings --json --fillrows --keep-empty-lines",
        "read...",
        stdin=True,
        allows=("column -t x",),
        refuses=("column /etc/shadow",),
    ),
    Rule(
        "comm",
        "-123z --check-order --nocheck-order --output-delimiter=text --total --zero-terminated",
        "read read",
        needs=2,
        allows=("comm -12 a b",),
        refuses=("comm a /etc/shadow",),
    ),
    Rule(
        "fold",
        "-bs -w=number --bytes --spaces --width=number",
        "read...",
        stdin=True,
        allows=("fold -w 80 x",),
        refuses=("fold /etc/shadow",),
    ),
    Rule("rev", "", "read...", stdin=True, allows=("rev x",), refuses=("rev /etc/shadow",)),
    Rule(
        "seq",
        "-w -s=text -f=text --equal-width --separator=text --format=text",
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
        "-sbl -n=number -i=text --bytes=number --print-bytes --quiet --silent --verbose",
        "read read",
        needs=2,
        allows=("cmp a b",),
        refuses=("cmp a /etc/shadow",),
    ),
    *(
        Rule(
            name,
            "-btz --binary --text --tag --zero",
            "read...",
            needs=1,
            allows=(f"{name} x",),
            refuses=(f"{name} -c x", f"{name} .env"),
        )
        for name in ("md5sum", "sha1sum", "sha256sum", "sha512sum")
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
        "-nErszu -l=number -e=sed -i[suffix] --quiet --silent --regexp-extended --expression=sed"
        " --in-place[suffix] --separate --null-data --debug --unbuffered --posix --sandbox"
        " --follow-symlinks --line-length=number",
        "text...",
        check="sed",
        instead="Use s, d, p and their like; or the Edit tool.",
        allows=(
            "sed -n '1,20p' a",
            "sed -i -e 's/a/b/' src/a.ts",
            "sed -i.bak 's/a/b/' src/a.ts",
            "ls | sed 's/x$//'",
        ),
        refuses=(
            "sed 's/x/id/e' f",
            "sed -n '1e id' x",
            "sed 'w out' x",
            "sed -f x y",
            "sed -i 's/a/b/' .treadle/state.json",
            "sed -i'.treadle/*' 's/a/b/' src/state.json",
            "sed -n --in-place=bak/x 's/a/b/' src/state.json",
            "sed -Ei.json 's/a/b/' .mcp",
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
        "-aip --append --ignore-interrupts --output-error[word]",
        "write...",
        mode="run",
        instead="Write to files inside the project.",
        allows=("npm test | tee test.log",),
        refuses=("echo x | tee .treadle/a", "echo x | tee /etc/hosts", "ls | tee $X"),
    ),
)
