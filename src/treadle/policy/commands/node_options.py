"""Options that many sub-commands of node's package tools share."""

INSTALL = (
    "-DEPOBS --save-dev --save --save-exact --save-prod --save-optional --save-peer --no-save"
    " --legacy-peer-deps --force --no-audit --no-fund --prefer-offline --offline --omit=word"
    " --include=word --ignore-scripts --production --frozen-lockfile --silent -s --loglevel=word"
    " --package-lock-only --no-package-lock --workspaces --dry-run"
    " --strict-peer-deps --install-links --no-optional --verbose --quiet --progress[text]"
    " --prefer-frozen-lockfile --no-frozen-lockfile --lockfile-only --dev --exact --immutable -d"
    " --save-catalog --ignore-engines --non-interactive --check-files --prod --no-progress"
    " --workspace-root --mode=word --no-lockfile --pure-lockfile --ignore-workspace --tilde"
    " --prefer-online --foreground-scripts --audit --fund --only=word --json --no-bin-links"
    " --install-strategy=word --cpu=word --os=word --libc=word --shamefully-hoist"
    " --strict-peer-dependencies --no-strict-peer-dependencies --fix-lockfile --resolution-only"
    " --no-hoist --reporter=word --child-concurrency=number --network-concurrency=number"
    " --ignore-pnpmfile --immutable-cache --check-cache --inline-builds --refresh-lockfile"
    " --network-timeout=number --backend=word --concurrent-scripts=number"
    " --optional --peer --audit-level=word"
)
RUN = (
    "-s --silent --if-present --workspace=name -w=name --workspaces --include-workspace-root"
    " --ignore-scripts --filter=text --parallel --stream --loglevel=text --no-bail -r --recursive"
    " --watch[text] --hot --bun -b --aggregate-output --reporter=text --no-update-notifier --quiet"
)
PLACE = (
    " --prefix=may-chdir -C=chdir --cwd=chdir --dir=chdir --silent -s --filter=text -F=text"
    " -r --recursive"
)
EACH = (
    "-AaptivR --all --parallel --topological --topological-dev --interlaced --verbose --recursive"
    " --worktree --since[text] --include=text --exclude=text --from=text --no-private -j=number"
    " --jobs=number"
)
HERE = " -w -W --workspace"
LOOK = (
    "--json --long --parseable --depth=number --all -a -l -g --global --omit=text --prod --dev"
    " --production --include=text --workspaces --package-lock-only --unicode"
)
# npm alone takes a workspace's name after `-w`; and it may start elsewhere in the project.
OF_NPM = " --workspace=name -w=name --prefix=may-chdir"
# pnpm alone takes a pattern here; for the others a package would follow.
OF_PNPM = f"{HERE} -r --recursive --filter=text -F=text"
