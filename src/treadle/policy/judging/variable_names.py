"""Names of variables that may be set, and of those that change what programs do. Data."""

import re

from treadle.policy.commands.rule_syntax import names

# Variables that change a program's output or its own mode, not which code it runs.
SETTABLE = names("""
    CI DEBUG VERBOSE PORT HOST HOSTNAME TZ LANG LANGUAGE TERM COLUMNS LINES NO_COLOR FORCE_COLOR
    CLICOLOR CLICOLOR_FORCE NODE_ENV BABEL_ENV APP_ENV RAILS_ENV RACK_ENV FLASK_ENV FLASK_DEBUG
    FLASK_APP DJANGO_SETTINGS_MODULE DJANGO_ENV MIX_ENV TEST_ENV ENVIRONMENT LOG_LEVEL LOGLEVEL
    RUST_LOG RUST_BACKTRACE CARGO_TERM_COLOR CARGO_INCREMENTAL CGO_ENABLED GOOS GOARCH GOMAXPROCS
    GO111MODULE PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUTF8
    PYTHONIOENCODING PYTHONFAULTHANDLER PYTEST_TIMEOUT TESTING COVERAGE SEED BROWSER_HEADLESS
    HEADLESS HUSKY DISABLE_SPRING SKIP_ENV_VALIDATION
    NEXT_TELEMETRY_DISABLED ASTRO_TELEMETRY_DISABLED
    DO_NOT_TRACK UV_OFFLINE APP_DEBUG XDEBUG_MODE PGHOST PGPORT PGUSER PGDATABASE TEST_DATABASE
    BASE_URL API_URL UPDATE_SNAPSHOTS SOURCE_DATE_EPOCH
    """)
SETTABLE_PREFIX = (
    "LC_",
    "VITE_",
    "NEXT_PUBLIC_",
    "REACT_APP_",
    "NUXT_PUBLIC_",
    "PUBLIC_",
    "TEST_",
)
# Lists of directories that code is taken from: they must lie inside the project.
FOLDERS = frozenset({"PYTHONPATH", "NODE_PATH", "GOPATH", "GOBIN", "CARGO_TARGET_DIR"})
ONLY = {"GIT_EDITOR": {"true", ":"}, "EDITOR": {"true", ":"}, "GIT_TERMINAL_PROMPT": {"0"},
         "GIT_PAGER": {"cat"}, "PAGER": {"cat"}, "BROWSER": {"none"}}  # fmt: skip
# Options for a whole tool: only those that bring in no other code.
SHAPED = {
    "NODE_OPTIONS": re.compile(
        r"(?:\s*--(?:max-old-space-size=\d+|experimental-vm-modules|no-warnings|trace-warnings"
        r"|enable-source-maps|no-deprecation|experimental-strip-types|unhandled-rejections=\w+))+"
    ),
    "GOFLAGS": re.compile(r"-mod=(?:mod|vendor|readonly)|-count=1|-v"),
    "RUSTFLAGS": re.compile(r"-D ?warnings"),
    # Bash computes these; assigning a number restarts them.
    "SECONDS": re.compile(r"\d{1,9}"),
    "RANDOM": re.compile(r"\d{1,9}"),
    "PYTHONWARNINGS": re.compile(r"error|ignore|default|always|once"),
}
# Names that change what the shell or other programs do, even if they are only set in the line.
DANGEROUS = re.compile(
    r"PATH|.*PATH|IFS|ENV|BASH.*|PS[0-9]|PROMPT_COMMAND|HOME|SHELL|LD_.*|DYLD_.*|NODE_.*|npm_.*"
    r"|NPM_.*|PYTHON.*|PIP_.*|UV_.*|RUBY.*|GEM_.*|BUNDLE_.*|PERL.*|GIT_.*|SSH_.*|GO[A-Z]+|CARGO.*"
    r"|RUST.*|.*_?PROXY|.*_?proxy|ANTHROPIC.*|CLAUDE.*|AWS_.*|.*EDITOR|.*PAGER|VISUAL|BROWSER"
    r"|TMPDIR|CDPATH|GLOBIGNORE|FCEDIT|HISTFILE|MAKEFLAGS|MAKEFILES|JAVA_.*|_JAVA.*|PHP.*"
    r"|COMPOSER.*|DENO_.*|BUN_.*|MANPAGER|LESS.*|GREP_.*|SHELLOPTS|OPENSSL_.*|SSL_.*|CURL_.*"
    r"|XDG_.*|TREADLE.*|POSIXLY_CORRECT|PWD|OLDPWD|PIPESTATUS"
    # Bash computes what these are set to, and runs a substitution in it.
    r"|S?RANDOM|SECONDS|LINENO|OPTIND|OPTERR|OPTARG|HIST.*|EPOCH.*|DIRSTACK|FUNC.*|GROUPS"
    r"|E?UID|PPID|COMP_.*|COMPREPLY|COPROC|MAPFILE|READLINE_.*|TMOUT|TIMEFORMAT|IGNOREEOF"
    r"|MACHTYPE|OSTYPE|HOSTTYPE|SHLVL|SHELLOPTS|CHILD_MAX|EXECIGNORE"
)
# The shell gives these a value of its own, whatever they were set to.
MOVING = names(
    "_ OLDPWD RANDOM SRANDOM SECONDS LINENO EPOCHSECONDS EPOCHREALTIME PIPESTATUS REPLY UID EUID"
    " PPID GROUPS DIRSTACK FUNCNAME HISTCMD OPTARG OPTIND MAPFILE COMP_WORDS"
)
# Known to every shell and no secret; their values are not known here.
USABLE = names(
    "HOME USER LOGNAME SHELL LANG TERM HOSTNAME OLDPWD RANDOM SECONDS LINENO UID EUID"
    " PPID PATH TMPDIR"
    " EPOCHSECONDS COLUMNS LINES CI NODE_ENV ? $ ! # 0 _ PIPESTATUS"
)
LOCAL_DATABASE = re.compile(r"sqlite|\w+://(?:[^@/]*@)?(?:localhost|127\.0\.0\.1)(?:[:/]|$)")
