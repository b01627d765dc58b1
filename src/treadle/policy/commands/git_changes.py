"""Rules for git commands that change the work tree, the history or a remote."""

from treadle.policy.commands.rule_syntax import Rule

_MERGE = (
    "-m=text -qv --no-ff --ff --ff-only --squash --no-squash --no-commit --commit --no-edit --abort"
    " --continue --quit -X=text --strategy-option=text --stat -n --no-stat --autostash"
    " --allow-unrelated-histories --signoff --quiet --verbose --log[number]"
)
_PUSH = (
    "-uqvn --set-upstream --quiet --verbose --dry-run --porcelain --tags --follow-tags --atomic"
    " --no-verify --progress -f --force --force-with-lease[text] --force-if-includes --mirror"
    " --delete -d --prune --all"
)
_WORKS = "Name the files, and keep what is not committed: git stash push keeps it."

SUBS: tuple[Rule, ...] = (
    Rule(
        "add",
        "-AunvNp --all --update --dry-run --verbose --intent-to-add --no-all --renormalize"
        " --ignore-removal --chmod=text",
        "staged...",
        mode="run",
        check="git-add",
        instead="Add files by name; what is ignored or secret stays out.",
    ),
    Rule(
        "commit",
        "-aqsv -m=text -F=read -C=text --all --message=text --file=read --quiet --signoff --amend"
        " --no-edit --allow-empty --allow-empty-message --author=text --date=text --fixup=text"
        " --squash=text --reuse-message=text --dry-run --only --include --no-gpg-sign"
        " --trailer=text"
        " --cleanup=text --reset-author --no-status --short --porcelain --no-post-rewrite",
        "staged...",
        mode="run",
        check="git-commit",
        instead="Give the message on the line: git commit -m 'what and why'.",
    ),
    Rule(
        "checkout",
        "-qf -b=branch -B=branch -t --track --no-track --detach --orphan=name --quiet"
        " --ours --theirs"
        " --force --guess --no-guess --progress",
        "text...",
        mode="run",
        check="git-checkout",
        instead=_WORKS,
    ),
    Rule(
        "switch",
        "-qt -c=branch --create=branch --detach -d --quiet --track --no-track --guess --no-guess"
        " --orphan=name",
        "text text",
        mode="run",
        check="git-revision",
        instead=_WORKS,
    ),
    Rule(
        "restore",
        "-qSW -s=text --source=text --staged --worktree --quiet --ours --theirs",
        "pathspec...",
        needs=1,
        mode="run",
        check="git-restore",
        instead=_WORKS,
    ),
    Rule(
        "reset",
        "-qN --soft --mixed --hard --keep --quiet -p",
        "text...",
        mode="run",
        check="git-reset",
        instead=_WORKS,
    ),
    Rule(
        "stash",
        "-kq -m=text --keep-index --quiet --staged",
        bare=True,
        mode="run",
        subs=(
            Rule(
                "push",
                "-kqS -m=text --message=text --keep-index --no-keep-index --staged --quiet",
                "pathspec...",
                mode="run",
            ),
            Rule("pop", "-q --index --quiet", "stash", mode="run"),
            Rule("apply", "-q --index --quiet", "stash", mode="run"),
            Rule("save", "-kq", "text", mode="run"),
            Rule("list", "--oneline --format=text --date=text", "stash..."),
            Rule("show", "-pu --stat --numstat --name-only --name-status --patch", "stash"),
            Rule("branch", "", "name stash", mode="run"),
            Rule("drop", "-q", "name", mode="destructive"),
            Rule("clear", mode="destructive"),
        ),
        # Untracked files may belong to the user or to Treadle.
        instead="Add new files first, then put the work aside: git stash push -m wip.",
    ),
    Rule(
        "branch",
        "-avrqdmcMDft --list[text] -l --all --verbose --remotes --show-current --merged[text]"
        " --no-merged[text] --contains[text] --no-contains[text] --sort=text --format=text -u=text"
        " --set-upstream-to=text --unset-upstream --delete --move --copy --points-at=text --track"
        " --no-track --column[text] --color[text] --no-color --abbrev[number]",
        "text...",
        mode="read",
        check="git-branch",
        instead="Make, list and rename branches; merged ones can be deleted with -d.",
    ),
    Rule(
        "tag",
        "-# -alfdn -m=text -F=read --list[text] --annotate --message=text --sort=text --format=text"
        " --contains[text] --merged[text] --points-at=text --delete --force --no-sign",
        "text...",
        mode="run",
        check="git-tag",
        instead="Make and list tags: git tag -a v1 -m text.",
    ),
    Rule(
        "merge",
        _MERGE,
        "text...",
        mode="run",
        check="git-revision",
        instead="Merge a branch by name.",
    ),
    Rule(
        "rebase",
        "-qv --onto=text --continue --abort --skip --quit --autostash --no-autostash --quiet"
        " --verbose --keep-empty --rebase-merges[text] --root --fork-point --no-fork-point -X=text"
        " --committer-date-is-author-date --ignore-date --stat --no-stat --signoff --update-refs"
        " --reapply-cherry-picks --empty=text",
        "text text",
        mode="run",
        check="git-revision",
        instead=(
            "Rebase onto a branch: git rebase main. No editor is there, and nothing runs between."
        ),
    ),
    Rule(
        "cherry-pick",
        "-xns -m=number --no-commit --continue --abort --skip --quit --allow-empty -X=text"
        " --keep-redundant-commits --signoff --ff",
        "text...",
        mode="run",
        check="git-revision",
    ),
    Rule(
        "revert",
        "-ns -m=number --no-edit --no-commit --continue --abort --skip --quit --signoff",
        "text...",
        mode="run",
        check="git-revert",
        instead="Write: git revert --no-edit COMMIT.",
    ),
    Rule(
        "rm",
        "-rqn --cached --quiet --dry-run --ignore-unmatch",
        "pathspec...",
        needs=1,
        mode="run",
        check="git-rm",
        instead="With --cached the file stays; or say in your report what to remove.",
    ),
    Rule(
        "update-index",
        "-q --chmod=executable-bit --verbose",
        "pathspec...",
        needs=1,
        mode="run",
        check="git-index",
        instead="Only whether a file can be run is set: git update-index --chmod=+x file.",
    ),
    Rule(
        "mv",
        "-vnk",
        "pathspec...",
        needs=2,
        mode="run",
        check="copy",
        instead="Move inside the project.",
    ),
    Rule(
        "clean",
        "-ndxX --dry-run -e=text -q",
        "look...",
        check="git-clean",
        instead="Only look what it would remove: git clean -n.",
    ),
    Rule(
        "apply",
        "-Rv --check --stat --numstat --summary --reverse --index --cached --3way -3 -p=number"
        " --whitespace=text --verbose --recount --ignore-whitespace --include=text --exclude=text",
        "read...",
        needs=1,
        mode="run",
        instead="Apply a patch file of the project, or use the Edit tool.",
    ),
    Rule(
        "init",
        "-q -b=name --initial-branch=name --quiet",
        "write",
        mode="run",
        instead="Write: git init.",
    ),
    Rule(
        "fetch",
        "-qvptnk --all --prune --tags --no-tags --depth=number --quiet --verbose --dry-run"
        " --unshallow"
        " --deepen=number --force -f --progress",
        "remote text...",
        mode="run",
        check="git-revision",
        instead="Name a remote that `git remote` lists.",
    ),
    Rule(
        "pull",
        "-qvr --rebase[text] --no-rebase --ff-only --ff --no-ff --no-edit --quiet --verbose"
        " --autostash --tags --prune --depth=number",
        "remote text...",
        mode="run",
        check="git-revision",
        instead="Name a remote that `git remote` lists.",
    ),
    Rule(
        "push",
        _PUSH,
        "remote text...",
        mode="run",
        check="git-push",
        instead="Push a branch by name: git push -u origin feat/x.",
    ),
    Rule(
        "bisect",
        mode="run",
        subs=(
            Rule("start", "--no-checkout --first-parent", "name...", mode="run"),
            *(
                Rule(word, "", "name...", mode="run")
                for word in ("good", "bad", "new", "old", "skip")
            ),
            Rule("reset", "", "name", mode="run"),
            Rule("log"),
        ),
        instead="Mark commits as good or bad yourself.",
    ),
    Rule(
        "notes",
        subs=(Rule("list", "", "name"), Rule("show", "", "name")),
        instead="Notes are read only.",
    ),
    Rule("gc", "--auto -q --quiet", mode="run"),
)
