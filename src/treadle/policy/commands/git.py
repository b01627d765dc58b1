"""Rules for git: it looks and commits; what nobody else has is not thrown away."""

from treadle.policy.commands.rule_syntax import Rule

_LOG = (
    "-n=text -S=text -G=text -L=lines -U=text --grep=text --author=text --committer=text"
    " --since=text --after=text --until=text --before=text --format=text --pretty[text] --date=text"
    " --max-count=text --skip=text --diff-filter=text --relative[look] --word-diff-regex=text"
)
# They write files, start programs, or wait for a person.
_NEVER = (
    "--output --ext-diff --textconv --filters --open-files-in-pager --help --exec --upload-pack"
    " --receive-pack --interactive --edit --batch --batch-check --batch-command --stdin"
)
_EDITS = f"{_NEVER} -i -e -p -x --patch --template --gpg-sign --edit-description"
_WORKS = "Name the files, and keep what is not committed: git stash push keeps it."
_PRINTS = "Leave the option out; git prints to the terminal as it is."
_REMOTE = "Name a remote that `git remote` lists."

_LOOKS: tuple[Rule, ...] = (
    Rule("log show whatchanged diff rev-list", _LOG, "revision...", never=_NEVER, instead=_PRINTS),
    Rule(
        "diff-tree diff-index diff-files range-diff show-branch cherry name-rev merge-base describe"
        " merge-tree rev-parse cat-file ls-tree shortlog blame",
        "-L=lines --format=text --date=text",
        "revision...",
        never=_NEVER,
        instead=_PRINTS,
    ),
    Rule(
        "grep",
        "-e=text -A=text -B=text -C=text -m=text",
        "text revision...",
        never=f"{_NEVER} -O -f",
        check="git-grep",
        instead=_PRINTS,
    ),
    Rule(
        "status ls-files check-ignore check-attr", "-x=text --exclude=text", "look...", never=_NEVER
    ),
    Rule(
        "show-ref for-each-ref count-objects fsck version check-ref-format",
        "--format=text",
        "text...",
        never=f"{_NEVER} --lost-found",
    ),
    Rule("symbolic-ref", "", "text", never="-d --delete -m"),
    Rule(
        "reflog",
        _LOG,
        bare=True,
        never=_NEVER,
        subs=(Rule("show", _LOG, "revision...", never=_NEVER),),
    ),
    Rule(
        "format-patch",
        "-o=write --output-directory=write --base=text --subject-prefix=text",
        "revision...",
        never=f"{_NEVER} --suffix --from --to --cc --attach",
        check="git-patches",
        instead="Print patches, or write them into the project or /tmp: git format-patch --stdout.",
    ),
    Rule(
        "archive",
        "-o=write --output=write --prefix=text --add-file=read",
        "revision...",
        never="--remote --exec",
        check="git-patches",
        instead="Send it through a pipe, or write it into the project or /tmp.",
    ),
    Rule(
        "remote",
        bare=True,
        subs=(Rule("get-url show", "", "remote"),),
        instead="Remotes are looked at, not changed: git remote -v.",
    ),
    Rule(
        "config",
        "--get=gitkey --get-all=gitkey --type=text",
        "gitkey",
        never="-e -f -l --edit --file --list --unset --unset-all --add --replace-all --blob"
        " --get-regexp --get-urlmatch --get-colorbool --remove-section --rename-section",
        instead="Settings of git are read one by one, and not changed: git config user.name.",
    ),
    Rule(
        "worktree submodule notes",
        subs=(Rule("list show status", "", "text"),),
        instead="Work in this tree; submodules and notes stay as they are.",
    ),
    Rule("ls-remote", "", "remote text...", never=_NEVER, instead=_REMOTE),
    Rule(
        "clean",
        "-e=text",
        "look...",
        one_of="-n --dry-run",
        never="-i --interactive",
        instead="Only look what it would remove: git clean -n.",
    ),
)

_CHANGES: tuple[Rule, ...] = (
    Rule(
        "add",
        "",
        "staged...",
        mode="run",
        never="-i -e -f --interactive --edit --force --pathspec-from-file",
        instead="Add files by name; what is ignored or secret stays out.",
    ),
    Rule(
        "commit",
        "-m=text -F=read -C=text --message=text --file=read --author=text --date=text --fixup=text"
        " --squash=text --reuse-message=text --trailer=text --cleanup=text",
        "staged...",
        mode="run",
        one_of="-m --message -F --file -C --reuse-message --no-edit --fixup --squash --dry-run",
        never=f"{_EDITS} -n -c -t -S --no-verify --reedit-message --pathspec-from-file",
        instead="Give the message on the line: git commit -m 'what and why'.",
    ),
    Rule(
        "checkout",
        "-b=branch -B=branch --orphan=text",
        "text...",
        mode="run",
        never=f"{_EDITS} --pathspec-from-file --conflict",
        destroys="-f --force -B",
        check="git-checkout",
        instead=_WORKS,
    ),
    Rule(
        "restore",
        "-s=text --source=text",
        "pathspec...",
        needs=1,
        mode="run",
        never=f"{_EDITS} --pathspec-from-file",
        check="git-restore",
        instead=_WORKS,
    ),
    Rule(
        "reset",
        "",
        "revision...",
        mode="run",
        never=f"{_EDITS} --pathspec-from-file",
        destroys="--hard --keep --merge",
        instead=_WORKS,
    ),
    Rule(
        "stash",
        "-m=text --message=text",
        bare=True,
        mode="run",
        # Untracked files may belong to the user or to Treadle.
        never=f"{_EDITS} -u -a --include-untracked --all",
        subs=(
            Rule(
                "push save",
                "-m=text --message=text",
                "pathspec...",
                mode="run",
                never=f"{_EDITS} -u -a --include-untracked --all --pathspec-from-file",
            ),
            Rule("pop apply", "", "stash", mode="run"),
            Rule("list", "--format=text", "stash...", never=_NEVER),
            Rule("show", "", "stash", never=_NEVER),
            Rule("branch", "", "branch stash", mode="run"),
            Rule("drop clear", "", "text", mode="destructive"),
        ),
        instead="Add new files first, then put the work aside: git stash push -m wip.",
    ),
    Rule(
        "branch",
        "-u=text --format=text --sort=text --set-upstream-to=text --contains=text",
        "branch...",
        never=_NEVER + " --edit-description",
        destroys="-D -M -C -f --force",
        check="git-branch",
        instead="Make, list and rename branches; merged ones can be deleted with -d.",
    ),
    Rule(
        "tag",
        "-m=text -F=read --message=text --file=read --format=text --sort=text",
        "branch...",
        mode="run",
        never=f"{_NEVER} -e -s -u --sign --local-user",
        destroys="-d -f --delete --force",
        instead="Make and list tags: git tag -a v1 -m text.",
    ),
    Rule(
        "switch merge rebase cherry-pick",
        "-c=branch -m=text -X=text --create=branch --onto=text --orphan=branch"
        " --strategy-option=text",
        "branch...",
        mode="run",
        never=f"{_EDITS} -f -C -S --force --force-create --discard-changes --no-verify --file"
        " --edit-todo",
        instead="Name a branch or commit: git rebase main. No editor is there, and nothing runs"
        " between.",
    ),
    Rule(
        "revert",
        "-m=text -X=text",
        "branch...",
        mode="run",
        one_of="--no-edit -n --no-commit --continue --abort --skip --quit",
        never=_EDITS,
        instead="Write: git revert --no-edit COMMIT.",
    ),
    Rule(
        "rm",
        "",
        "pathspec...",
        needs=1,
        mode="run",
        never="-f --force --pathspec-from-file",
        check="git-rm",
        instead="Name files that are committed as they are: git rm src/old.py.",
    ),
    Rule(
        "update-index",
        "--chmod=text",
        "pathspec...",
        needs=1,
        mode="run",
        one_of="--chmod",
        never=f"{_NEVER} --assume-unchanged --skip-worktree --cacheinfo --index-info"
        " --force-remove",
        instead="Only whether a file can be run is set: git update-index --chmod=+x file.",
    ),
    Rule("mv", "", "pathspec...", needs=2, mode="run", never="-f --force", check="copy"),
    Rule(
        "apply",
        "-p=text --whitespace=text --include=text --exclude=text",
        "read...",
        needs=1,
        mode="run",
        never="--directory --unsafe-paths --build-fake-ancestor",
        instead="Apply a patch file of the project, or use the Edit tool.",
    ),
    Rule(
        "init",
        "-b=branch --initial-branch=branch",
        "write",
        mode="run",
        never="--template --separate-git-dir --bare --shared",
        instead="Write: git init.",
    ),
    Rule(
        "fetch pull",
        "-X=text",
        "remote branch...",
        mode="run",
        never=f"{_EDITS} -u -o --multiple --server-option --no-verify",
        instead=_REMOTE,
    ),
    Rule(
        "push",
        "",
        "remote text...",
        mode="run",
        never=f"{_NEVER} -o --push-option --repo --no-verify",
        instead="Push a branch by name: git push -u origin feat/x.",
    ),
    Rule(
        "bisect",
        mode="run",
        subs=(
            Rule("start good bad new old skip reset", "", "branch...", mode="run"),
            Rule("run", "", wraps=0, mode="run"),
            Rule("log"),
        ),
        instead="Mark commits as good or bad yourself.",
    ),
)

GIT = Rule(
    "git",
    "-c=git-setting -C=chdir",
    never="-p --paginate --exec-path --git-dir --work-tree --namespace --config-env --super-prefix"
    " --bare --help",
    subs=(*_LOOKS, *_CHANGES),
    because="It looks at history and commits; what nobody else has is not thrown away.",
    instead="Look and commit with the plain commands: status, diff, log, add, commit.",
    allows=(
        "git status --short",
        "git show HEAD:src/a.ts",
        "git commit -m 'feat: rm -rf guard (#12)'",
        "git rebase main",
    ),
    refuses=(
        "git -c core.pager=./e log",
        "git -c core.sshCommand=./e fetch",
        "git log --outp=x",
        "git archive --remote=ext::sh HEAD",
        "git archive -o .git/hooks/x HEAD",
        "git archive HEAD .env",
    ),
)
