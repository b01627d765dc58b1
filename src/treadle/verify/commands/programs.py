"""Programs by what they do in a command: compare, run tests, run scripts, start others. Data."""

import re

# They look at a result and say yes or no by their exit code.
COMPARING = frozenset(
    {
        *("test", "[", "[[", "grep", "egrep", "fgrep", "rg", "ag", "ack", "diff", "cmp", "comm"),
        *("sdiff", "wdiff", "dwdiff", "colordiff", "jq", "yq", "awk", "gawk", "mawk", "nawk"),
        *("expr", "xmllint", "xmlstarlet", "sha1sum", "sha256sum", "sha512sum", "md5sum", "shasum"),
        *("curl", "wget", "http", "nc", "hurl", "psql", "sqlite3", "mysql", "redis-cli", "git"),
        *("ls", "stat", "find", "file", "readelf", "nm", "objdump", "ldd", "which", "openssl"),
        *("ajv", "jsonlint", "yamllint", "identify", "ffprobe", "pdftotext", "unzip", "tar"),
    }
)
DIFFS = frozenset({"diff", "cmp", "comm", "sdiff", "wdiff", "dwdiff", "colordiff"})
CHECKSUMS = frozenset({"sha1sum", "sha256sum", "sha512sum", "md5sum", "shasum", "cksum", "b2sum"})
# Their first argument is a pattern or a program, unless an option names one.
PATTERN_FIRST = frozenset(
    {"grep", "egrep", "fgrep", "rg", "ag", "ack", "jq", "yq", "awk", "gawk", "mawk", "nawk", "sed"}
)
# They print what they read: their exit code says nothing of it.
PASSING_ON = frozenset(
    {
        *("cat", "tee", "head", "tail", "less", "more", "sort", "uniq", "tr", "cut", "sed", "nl"),
        *("column", "pv", "ts", "rev", "tac", "fold", "fmt", "paste", "iconv", "strings", "sponge"),
        *("echo", "printf", "true", ":", "logger", "wc", "xxd", "od", "hexdump", "base64"),
    }
)
# Their text becomes the text of the line, and no more.
PRINTING = frozenset({"echo", "printf", "true", ":", "logger"})

# Runners of tests, by name; the files that they get are tests.
RUNNERS = frozenset(
    {
        *("pytest", "py.test", "unittest", "nose2", "nosetests", "trial", "tox", "nox", "green"),
        *("behave", "robot", "pybot", "ward", "doctest", "stestr", "zope-testrunner", "pytest-3"),
        *("jest", "vitest", "mocha", "ava", "tap", "tape", "jasmine", "karma", "playwright"),
        *("cypress", "wtr", "uvu", "qunit", "testem", "nightwatch", "wdio", "testcafe"),
        *("cucumber", "cucumber-js", "gotestsum", "ginkgo", "phpunit", "pest", "behat", "codecept"),
        *("phpspec", "kahlan", "atoum", "paratest", "infection", "rspec", "turbo_tests"),
        *("ctest", "bats", "prove", "yath", "shellspec", "shunit2", "roundup", "busted", "lust"),
        *("gtester", "criterion", "meson", "ninja", "bazel", "buck2", "pants", "xcodebuild"),
        *("mvn", "mvnw", "gradle", "gradlew", "sbt", "lein", "clj", "rebar3", "ert-runner"),
    }
)
# Programs that run tests by one of their subcommands.
RUNNER_COMMANDS = {
    "go": frozenset({"test"}),
    "cargo": frozenset({"test", "t", "nextest", "tarpaulin", "llvm-cov", "bench"}),
    "deno": frozenset({"test"}),
    "bun": frozenset({"test"}),
    "dotnet": frozenset({"test", "vstest"}),
    "swift": frozenset({"test"}),
    "mix": frozenset({"test"}),
    "cabal": frozenset({"test"}),
    "stack": frozenset({"test"}),
    "dune": frozenset({"test", "runtest"}),
    "zig": frozenset({"test", "build"}),
    "dub": frozenset({"test"}),
    "dart": frozenset({"test"}),
    "flutter": frozenset({"test"}),
    "rails": frozenset({"test", "test:system", "spec"}),
    "hatch": frozenset({"test"}),
    "crystal": frozenset({"spec"}),
    "nim": frozenset({"test"}),
}
# They run what a file says, each with the names of that file where it is no judge by kind.
TASK_RUNNERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("make", "gmake", "just", "task", "rake", "tox", "nox", "composer"), ()),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun", "deno", "turbo", "lerna", "rush", "mage"), ()),
    **dict.fromkeys(("invoke", "inv", "fab"), ("tasks.py", "tasks/__init__.py", "fabfile.py")),
    "nx": ("project.json",),
    "fab": ("fabfile.py",),
}

SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "fish"})
PYTHON = re.compile(r"(?:python|pypy)[\d.]*")
NODE = frozenset({"node", "nodejs", "tsx", "ts-node", "esno", "vite-node", "swc-node", "jiti"})
# They run the first argument that is no option.
INTERPRETERS = (
    SHELLS
    | NODE
    | {
        *(
            "ruby",
            "jruby",
            "perl",
            "php",
            "lua",
            "luajit",
            "Rscript",
            "julia",
            "pwsh",
            "tclsh",
            "expect",
        ),
        *(
            "groovy",
            "kotlin",
            "scala",
            "elixir",
            "escript",
            "guile",
            "racket",
            "coffee",
            "osascript",
        ),
        *("swift", "java", "gnuplot", "octave", "bb", "nu", "wish", "raku", "crystal", "dart"),
    }
)
# The argument behind is code of the line itself.
NODE_CODE = frozenset({"-e", "-p", "-pe", "--eval", "--print"})
PHP_CODE = frozenset({"-r", "-R", "-B"})
OTHER_CODE = frozenset({"-e", "-E", "-ne", "-pe", "-lne", "-nle", "-lane", "--eval"})
# The argument behind is a file that is loaded first.
LOADING_OPTIONS = frozenset(
    {
        *("--require", "--import", "--loader", "--experimental-loader", "--env-file", "--rcfile"),
        *("--init-file", "--bootstrap", "--config", "--configuration", "--conf", "--setup"),
        *("--preload", "--import-map", "--config-file", "--rc", "--helper", "--load"),
    }
)
# With these an interpreter looks at the syntax and runs nothing.
SYNTAX_ONLY: dict[str, frozenset[str]] = {
    **dict.fromkeys(SHELLS, frozenset({"-n"})),
    **dict.fromkeys(NODE, frozenset({"--check", "-c"})),
    **dict.fromkeys(("ruby", "perl"), frozenset({"-c", "-wc"})),
    "php": frozenset({"-l"}),
}
VALUE_OPTIONS = frozenset(
    {
        *("-m", "-W", "-X", "-o", "-I", "-d", "-S", "-M", "-C", "--chdir", "--directory", "--with"),
        *("--python", "--extra", "--group", "--package", "--from", "--project", "-n", "--cwd"),
        *("--prefix", "-u", "--signal", "-k", "-s", "--kill-after", "--conditions", "--title"),
    }
)
# Variables whose files an interpreter or a tool loads.
LOADING_VARIABLES = frozenset(
    {
        *("BASH_ENV", "ENV", "PYTHONSTARTUP", "NODE_OPTIONS", "RUBYOPT", "PERL5OPT", "GOFLAGS"),
        *("LD_PRELOAD", "LD_LIBRARY_PATH", "MAKEFILES", "MAKEFLAGS", "PYTEST_ADDOPTS", "CLASSPATH"),
        *("PYTEST_PLUGINS", "PYTHONWARNINGS", "JAVA_TOOL_OPTIONS", "MAVEN_OPTS", "GRADLE_OPTS"),
        *("COVERAGE_RCFILE", "COVERAGE_PROCESS_START", "NPM_CONFIG_USERCONFIG", "RUSTC_WRAPPER"),
        *("CARGO_BUILD_RUSTC_WRAPPER", "BUNDLE_GEMFILE", "COMPOSER", "PHPRC", "PROVE_OPTIONS"),
    }
)
# Variables with folders that are searched for modules.
SEARCH_VARIABLES = frozenset({"PYTHONPATH", "NODE_PATH", "RUBYLIB", "PERL5LIB", "PYTHONHOME"})

# They start the program behind them.
WRAPPERS = frozenset(
    {
        *("env", "timeout", "gtimeout", "time", "nice", "nohup", "stdbuf", "setsid", "exec"),
        *("command", "builtin", "sudo", "xvfb-run", "strace", "ionice", "chronic", "unbuffer"),
        *(
            "cross-env",
            "dotenv",
            "npx",
            "bunx",
            "xargs",
            "busybox",
            "caffeinate",
            "retry",
            "c8",
            "nyc",
        ),
    }
)
WRAPPER_COMMANDS = {
    **dict.fromkeys(("uv", "poetry", "pipenv", "pdm", "hatch", "rye", "conda"), frozenset({"run"})),
    "bundle": frozenset({"exec"}),
    "pnpm": frozenset({"exec", "dlx"}),
    "npm": frozenset({"exec", "x"}),
    "yarn": frozenset({"exec", "dlx"}),
    "bun": frozenset({"x"}),
    "coverage": frozenset({"run"}),
    "mise": frozenset({"exec", "x"}),
    "asdf": frozenset({"exec"}),
    "direnv": frozenset({"exec"}),
}
# Modules of Python that start a script or a module behind them.
WRAPPER_MODULES = frozenset(
    {"coverage", "pdb", "trace", "cProfile", "profile", "runpy", "kernprof"}
)
# Modules of Python that work on files and are no part of a project.
TOOL_MODULES = frozenset(
    {
        *("pip", "venv", "virtualenv", "build", "mypy", "ruff", "flake8", "black", "pylint"),
        *("isort", "bandit", "pyright", "pyflakes", "pycodestyle", "vulture", "twine", "wheel"),
        *("setuptools", "tomli", "yaml", "sphinx", "mkdocs", "poetry", "uv", "pipx", "compileall"),
    }
)

LINTERS = frozenset(
    {
        *("ruff", "flake8", "pylint", "mypy", "pyright", "bandit", "pycodestyle", "pyflakes"),
        *("eslint", "tsc", "vue-tsc", "biome", "oxlint", "prettier", "stylelint", "tslint"),
        *("rubocop", "standardrb", "golangci-lint", "staticcheck", "clippy", "phpstan", "psalm"),
        *("phpcs", "checkstyle", "detekt", "ktlint", "swiftlint", "shellcheck", "clang-tidy"),
        *("credo", "markdownlint", "yamllint", "hadolint", "coverage", "c8", "nyc"),
    }
)
# A line that runs one of them, or a task with such a name.
LINTING = re.compile(rf"\b(?:{'|'.join(sorted(LINTERS))}|lint|vet|type-?check|cov)\b")
# Everyday programs that no line expects from the project.
EVERYDAY = frozenset(
    {
        *("cp", "mv", "rm", "mkdir", "rmdir", "touch", "chmod", "ln", "cd", "pwd", "date", "sleep"),
        *("kill", "wait", "id", "uname", "env", "seq", "mktemp", "basename", "dirname", "realpath"),
        *(
            "readlink",
            "xargs",
            "timeout",
            "node",
            "npm",
            "npx",
            "yarn",
            "pnpm",
            "python",
            "python3",
        ),
        *(
            "pip",
            "pip3",
            "ruby",
            "gem",
            "bundle",
            "php",
            "composer",
            "perl",
            "go",
            "gofmt",
            "cargo",
        ),
        *("rustc", "cc", "gcc", "g++", "c++", "clang", "clang++", "ld", "ar", "make", "cmake"),
        *("java", "javac", "tsc", "eslint", "prettier", "ruff", "mypy", "flake8", "black", "uv"),
        *("sudo", "install", "false", "bc", "dc", "shellcheck", "shfmt", "pylint", "pyright"),
    }
)
TOOLS = (
    COMPARING
    | PASSING_ON
    | RUNNERS
    | INTERPRETERS
    | WRAPPERS
    | EVERYDAY
    | LINTERS
    | CHECKSUMS
    | frozenset(TASK_RUNNERS)
    | frozenset(RUNNER_COMMANDS)
    | frozenset(WRAPPER_COMMANDS)
)
