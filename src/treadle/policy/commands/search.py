"""Rules for commands that search for text or files."""

from treadle.policy.commands.rule_syntax import Rule

_GREP = (
    "-# -EFGPabchHIiLlnoqRrsvwxyzZuU -e=text -m=number -A=number -B=number -C=number"
    " -d=text -D=text -f=read --file=read"
    " --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp=text --ignore-case"
    " --no-ignore-case --invert-match --word-regexp --line-regexp --count --color[text]"
    " --colour[text] --files-without-match --files-with-matches --max-count=number --only-matching"
    " --quiet --silent --no-messages --byte-offset --with-filename --no-filename --line-number"
    " --null --null-data --after-context=number --before-context=number --context=number --text"
    " --binary-files=text --include=filter --exclude=text --exclude-dir=text --recursive"
    " --dereference-recursive --initial-tab --line-buffered --label=text -TV --version --binary"
    " --directories=word --devices=word --exclude-from=read --group-separator=text"
    " --no-group-separator"
)
_RG = (
    "-# -iSsvwxFPUlLcnNHhopqau0zI. -e=text -f=read --file=read -g=filter -t=text -T=text"
    " -A=number -B=number -C=number"
    " -m=number -r=text -M=number -d=number -j=number --files --files-with-matches"
    " --files-without-match --hidden --no-ignore --no-ignore-vcs --ignore-case --smart-case"
    " --case-sensitive --fixed-strings --word-regexp --multiline --multiline-dotall --count"
    " --count-matches --line-number --no-line-number --no-heading --heading --with-filename"
    " --no-filename --only-matching --glob=filter --iglob=filter --type=text --type-not=text"
    " --type-list --after-context=number --before-context=number --context=number"
    " --max-count=number"
    " --max-depth=number --replace=text --color=text --json --stats --sort=text --sortr=text"
    " --trim --vimgrep --pcre2 --invert-match --max-columns=number --quiet --no-messages --null"
    " --regexp=text --text --passthru -bV -E=text --encoding=text --byte-offset --column --crlf"
    " --context-separator=text --engine=word --follow --glob-case-insensitive --ignore-file=read"
    " --include-zero --line-buffered --max-filesize=text --no-config --no-ignore-dot"
    " --no-ignore-parent --no-ignore-global --no-require-git --no-hidden --no-unicode --null-data"
    " --one-file-system --pretty --sort-files --stop-on-nonmatch --threads=number --unrestricted"
    " --line-regexp --max-depth=number --version --no-pcre2-unicode --path-separator=text"
)
_FD = (
    "-HIuisgFapLq01 -d=number -e=text -E=text -t=word -S=text -c=word --hidden --no-ignore"
    " --no-ignore-vcs --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings"
    " --absolute-path --follow --full-path --max-depth=number --min-depth=number"
    " --exact-depth=number --type=word --extension=text --exclude=text --size=text"
    " --changed-within=text --changed-before=text --color=word --strip-cwd-prefix --print0 --quiet"
    " --max-results=number --one-file-system --relative-path --format=text --version"
)

RULES: tuple[Rule, ...] = (
    Rule(
        "grep",
        _GREP,
        "text read...",
        check="grep",
        instead="Search the project: grep -rn PATTERN src.",
        allows=(
            "grep -rn 'rm -rf' docs/",
            "grep -n 'a;b' src/x.ts",
            "ls | grep x",
            "grep -nf patterns.txt src/app.ts",
            "grep -rn x --include='*.json' .",
        ),
        refuses=(
            "grep -f .env -r .",
            "grep -rh . --include=.env .",
            "grep -r . --include='.en?' .",
            "grep -r API_KEY .env",
            "grep -r x /etc",
            "grep x",
        ),
    ),
    Rule(
        "egrep",
        _GREP,
        "text read...",
        check="grep",
        allows=("egrep 'a|b' x",),
        refuses=("egrep -f .env y",),
    ),
    Rule(
        "fgrep",
        _GREP,
        "text read...",
        check="grep",
        allows=("fgrep a x",),
        refuses=("fgrep -f /etc/x y",),
    ),
    Rule(
        "rg",
        _RG,
        "text read...",
        check="ripgrep",
        instead="Search the project: rg PATTERN src.",
        allows=("rg -n TODO src", "rg --files", "rg -g '!.env' -g '*.ts' x"),
        refuses=("rg --pre ./e x", "rg --hostname-bin=./e x", "rg -f .env x", "rg -g .env x"),
    ),
    *(
        Rule(
            name,
            _FD,
            "text look...",
            instead="Only look: run a second command on what it prints.",
            allows=(f"{name} -e ts . src", f"{name} -H -t f config"),
            refuses=(f"{name} .env -x cat", f"{name} x -X rm", f"{name} x /root", f"{name} -l x"),
        )
        for name in ("fd", "fdfind")
    ),
)
