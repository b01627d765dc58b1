"""Which programs the light policy knows, and how they use their arguments. Data."""

import re
from dataclasses import dataclass

from treadle.policy.commands.rule_syntax import names

# They give a process more rights, or lead out of the sandbox.
ESCAPES = names(
    "sudo sudoedit su doas pkexec runuser gosu su-exec chroot nsenter unshare bwrap setpriv capsh"
    " mount umount pivot_root switch_root machinectl systemd-run newuidmap newgidmap firejail"
    " insmod modprobe visudo newgrp sg"
)
# Sockets of container services, and what /proc shows of other processes.
ESCAPE_SOCKET = re.compile(r"(?:docker|containerd|podman|crio|buildkitd)\.sock\b")
PROCESS_FILE = re.compile(r"/proc/[^/\s]+/(?:task/[^/\s]+/)?(?:environ|mem|root)(?![\w.-])")
PROCESS_PATTERN = re.compile(r"/proc/[^\s]*[*?\[][^\s]*")
DEBUGGERS = names("gdb lldb strace ltrace gcore reptyr")
ATTACHING = re.compile(r"-p\d*|--pid(?:=.*)?|--attach(?:=.*)?")

SHELLS = names("bash sh dash zsh ksh mksh ash fish rbash")
# They run the text of their arguments.
EVALUATING = names("eval trap alias")


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A program that runs a second command: options with a value, and operands before it."""

    values: frozenset[str] = frozenset()
    operands: int = 0
    # Options whose value is a line for a shell.
    lines: frozenset[str] = frozenset()
    # The program whose sub-command follows, if it is not named again.
    runs: str = ""


_PLAIN = Wrapper()
WRAPPERS: dict[str, Wrapper] = {
    **dict.fromkeys(names("nohup setsid builtin unbuffer busybox toybox shx corepack"), _PLAIN),
    **dict.fromkeys(names("cross-env cross-env-shell caffeinate chronic faketime"), _PLAIN),
    "command": Wrapper(),
    "exec": Wrapper(names("-a")),
    "env": Wrapper(names("-u --unset -C --chdir"), lines=names("-S --split-string")),
    "timeout": Wrapper(names("-k --kill-after -s --signal"), 1),
    "gtimeout": Wrapper(names("-k --kill-after -s --signal"), 1),
    "nice": Wrapper(names("-n --adjustment")),
    "ionice": Wrapper(names("-c -n --class --classdata")),
    "chrt": Wrapper(operands=1),
    "taskset": Wrapper(operands=1),
    "stdbuf": Wrapper(names("-i -o -e --input --output --error")),
    "time": Wrapper(names("-f --format -o --output")),
    "flock": Wrapper(names("-w --timeout -E"), 1, names("-c --command")),
    "script": Wrapper(operands=9, lines=names("-c --command")),
    "strace": Wrapper(names("-o -e -s -p -P -E -u")),
    "ltrace": Wrapper(names("-o -e -s -p -u")),
    "dotenv": Wrapper(names("-e -f -p -v")),
    "env-cmd": Wrapper(names("-f -e -r")),
    "doppler": Wrapper(operands=1),
    "xargs": Wrapper(names("-I -n -P -L -d -a -s -E -J -R")),
    "parallel": Wrapper(names("-j --jobs -a --delay --timeout")),
    "npx": Wrapper(names("-p --package -w --workspace"), lines=names("-c --call")),
    "pnpx": Wrapper(names("-p --package")),
    "bunx": Wrapper(names("-p --package")),
    "uvx": Wrapper(names("--from --with -p --python --with-requirements")),
    "nix-shell": Wrapper(names("-p -A -I"), 9, names("--run --command")),
    "watchexec": Wrapper(names("-w -e -i")),
    "gotestsum": Wrapper(operands=99),
    "tmux": Wrapper(operands=99),
    "torsocks": _PLAIN,
    "proxychains": _PLAIN,
}
_UV_RUN = names(
    "--with --with-requirements --with-editable --extra --group --only-group --package --python -p"
    " --env-file --directory --project --index --index-url --config-file --cache-dir -C -w"
)
# The same by two or three words.
RUNNERS: dict[tuple[str, ...], Wrapper] = {
    ("uv", "run"): Wrapper(_UV_RUN),
    ("uv", "tool", "run"): Wrapper(_UV_RUN | {"--from"}),
    ("pipx", "run"): Wrapper(names("--spec --python --index-url")),
    ("poetry", "run"): Wrapper(names("-C -P --directory --project")),
    **dict.fromkeys(
        (
            ("pipenv", "run"),
            ("pdm", "run"),
            ("hatch", "run"),
            ("rye", "run"),
            ("bundle", "exec"),
            ("composer", "exec"),
            ("rbenv", "exec"),
            ("pyenv", "exec"),
            ("asdf", "exec"),
            ("bun", "x"),
            ("yarn", "exec"),
            ("yarn", "dlx"),
            ("yarn", "run"),
            ("bun", "run"),
            ("npm", "exec"),
            ("npm", "x"),
            ("pnpm", "exec"),
            ("pnpm", "dlx"),
            ("mise", "exec"),
            ("mise", "x"),
        ),
        Wrapper(names("-p --package -c -w --workspace -F --filter -C --dir --prefix")),
    ),
    ("conda", "run"): Wrapper(names("-n --name -p --prefix --cwd")),
    ("direnv", "exec"): Wrapper(operands=1),
    ("yarn", "workspace"): Wrapper(operands=1, runs="yarn"),
    ("yarn", "workspaces", "run"): Wrapper(runs="yarn"),
    ("yarn", "workspaces", "foreach"): Wrapper(names("--from --include --exclude"), runs="yarn"),
    ("git", "bisect", "run"): _PLAIN,
    ("nix", "develop"): Wrapper(operands=9, values=names("-c --command")),
    ("coverage", "run"): _PLAIN,
    ("rustup", "run"): Wrapper(operands=1),
}
INTERPRETERS = re.compile(
    r"python[\d.]*|pypy3?|node|nodejs|deno|bun|tsx|ts-node|ruby|php|perl|lua|Rscript|julia"
)
# Options of interpreters whose value is code, which is not judged here.
CODE_OPTIONS = names("-c -e -p -pe -ne -r -E -n -ple -lne -i -pi -ni --eval --print -x")

# Programs that do not read the files that they name.
LOOKS = names(
    "ls dir ll exa eza lsd tree stat file du test [ [[ echo printf basename dirname realpath"
    " readlink which type whereis hash cd pushd popd find fd fdfind locate man info help true"
    " false : exit return break continue shift export declare typeset local readonly unset read"
    " mkdir rmdir rm unlink shred touch truncate chmod chown chgrp chattr setfacl mkfifo mktemp"
    " rimraf del del-cli trash trash-put tee kill pkill pgrep killall git npm-run make id wait"
    " ssh-keygen mkcert htpasswd inotifywait lsof fuser"
)
# The first operand is a pattern or a program, unless an option brings one.
PATTERN_FIRST = names(
    "grep egrep fgrep zgrep rg ag ack pcregrep sed gsed awk gawk mawk jq yq gojq tr sd comby"
    " ast-grep"
)
# The word after these is a pattern; with any of them, every operand is a file.
PATTERN_OPTIONS = names("-e --regexp --expression")
PATTERN_FILES = names("-f --file --from-file --files")
# Programs that show the content of the files that they name, whatever the name looks like.
SHOWS = names(
    "cat bat batcat head tail less more most view nl tac rev cut sort uniq paste od xxd hexdump"
    " base64 base32 strings source . column fold fmt pr diff cmp comm wc vi vim nano emacs code"
    " grep egrep fgrep rg sed awk gawk cp mv"
)
# The last operand is written, the others are read.
COPIES = names("cp mv ln install rsync scp")
DELETES = names("rm rmdir unlink shred rimraf del del-cli trash trash-put")
WRITES = names(
    "touch mkdir tee truncate mkfifo mknod chattr setfacl vi vim nvim nano emacs ed ex pico code"
    " subl patch"
)
# The first operand is no path.
CHANGES_MODE = names("chmod chown chgrp")
EDITS_IN_PLACE = names("sed gsed perl ruby awk gawk")
IN_PLACE = re.compile(r"-[A-Za-z]*i.*|--in-place.*|inplace")
OUTPUT_OPTIONS = names(
    "-o -O -out -keyout --output --output-file --out --outfile --out-file --output-document"
    " --report --log-file --save --dest --destination -keystore --key-file --cert-file"
)
EXCLUDING = re.compile(r"--(?:exclude|ignore|no-|skip|omit|deny|without)[\w-]*|-x|-not|!")
CHOOSING = names("--include --glob -g --iglob --type-add -name -iname")
# They print secrets that they keep themselves.
PRINTS_SECRETS: tuple[tuple[str, ...], ...] = (
    ("rails", "credentials:show"),
    ("rails", "credentials:edit"),
    ("rails", "secrets:show"),
    ("gh", "auth", "token"),
    ("git", "credential", "fill"),
    ("git", "config", "--global", "--get-all", "credential.helper"),
    ("gcloud", "auth", "print-access-token"),
    ("aws", "configure", "export-credentials"),
    ("npm", "token", "list"),
    ("vault", "read"),
    ("vault", "kv", "get"),
    ("op", "read"),
    ("pass", "show"),
)
PRINTS_VARIABLES = names("printenv env set export declare typeset compgen")

GIT_READS = names("add diff show blame annotate cat-file archive difftool grep hash-object")
GIT_VALUES = names("-C -c --git-dir --work-tree --namespace --exec-path --config-env")
GIT_CONFIG_READS = re.compile(r"--get.*|--list|-l|get|list|--show-.*|--name-only|-h|--help")

# Longer than an agent waits for a command.
LONGEST_SLEEP_S = 300.0
FOLLOWS = re.compile(r"-[a-zA-Z]*[fF][a-zA-Z]*|--follow(?:=.*)?")
