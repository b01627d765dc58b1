"""Names of variables that may be set, and of those that change what programs do. Data."""

import re

from treadle.policy.commands.rule_syntax import names

# Of those below, these change a program's output or its own mode, not which code it runs.
SETTABLE = names(
    "NODE_ENV CARGO_TERM_COLOR CARGO_INCREMENTAL GOOS GOARCH GOMAXPROCS RUST_LOG RUST_BACKTRACE"
    " UV_OFFLINE PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUTF8"
    " PYTHONIOENCODING PYTHONFAULTHANDLER"
)
# Lists of directories that code is taken from: they must lie inside the project or /tmp.
FOLDERS = names("PYTHONPATH NODE_PATH GOPATH GOBIN GOCACHE CARGO_TARGET_DIR CARGO_HOME CLASSPATH")
FILLED = names("GOPATH GOBIN GOCACHE CARGO_TARGET_DIR CARGO_HOME")
ONLY = {
    **dict.fromkeys(names("GIT_EDITOR GIT_SEQUENCE_EDITOR EDITOR"), names("true :")),
    **dict.fromkeys(names("GIT_PAGER PAGER"), names("cat")),
    "GIT_TERMINAL_PROMPT": names("0"),
    "BROWSER": names("none"),
}
# Options for a whole tool: only those that bring in no other code.
SHAPED = {
    "NODE_OPTIONS": re.compile(
        r"(?:\s*--(?:max-old-space-size=\d+|experimental-vm-modules|no-warnings|trace-warnings"
        r"|enable-source-maps|no-deprecation|experimental-strip-types|unhandled-rejections=\w+))+"
    ),
    "GOFLAGS": re.compile(r"(?!.*(?:exec|overlay|tool))[\w .=-]*"),
    **dict.fromkeys(names("RUSTFLAGS RUSTDOCFLAGS"), re.compile(r"(?!.*(?:link|/))[\w .=\"-]*")),
    **dict.fromkeys(
        names("JAVA_OPTS JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS GRADLE_OPTS SBT_OPTS"),
        re.compile(r"(?!.*agent)[\w .=:+-]*"),
    ),
    "RUBYOPT": re.compile(r"-W\S*"),
    # Bash computes the last two; assigning a number restarts them.
    **dict.fromkeys(
        names(
            "GODEBUG GOEXPERIMENT GOARM CARGO_PROFILE_RELEASE_DEBUG RUST_TEST_THREADS"
            " RUST_MIN_STACK PYTHONDEVMODE PYTHONTRACEMALLOC PYTHONWARNINGS SECONDS RANDOM"
        ),
        re.compile(r"[\w=:.,]{1,99}"),
    ),
}
# Names that change what the shell or other programs do, even if they are only set in the line.
DANGEROUS = re.compile(
    r"PATH|.*PATH|IFS|ENV|BASH.*|PS[0-9]|PROMPT_COMMAND|HOME|SHELL|LD_.*|DYLD_.*|NODE_.*|npm_.*"
    r"|NPM_.*|PYTHON.*|PIP_.*|UV_.*|RUBY.*|GEM_.*|BUNDLE_.*|PERL.*|GIT_.*|SSH_.*|GO[A-Z]+|CARGO.*"
    r"|RUST.*|.*_?PROXY|.*_?proxy|ANTHROPIC.*|CLAUDE.*|AWS_.*|.*EDITOR|.*PAGER|VISUAL|BROWSER"
    r"|TMPDIR|CDPATH|GLOBIGNORE|FCEDIT|HISTFILE|MAKEFLAGS|MAKEFILES|JAVA_.*|_JAVA.*|JDK_JAVA_.*|\w+_OPTS|PHP_INI.*|PHPRC"
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
