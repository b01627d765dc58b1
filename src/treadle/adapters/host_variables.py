"""Decides which of the user's variables a program gets that Treadle asks on the host. Pure."""

import os
from collections.abc import Mapping
from pathlib import Path

# By these, interpreters and shells load code from folders that may be the project's.
CODE_VARIABLES = frozenset(
    {
        *("PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONPLATLIBDIR"),
        *("NODE_PATH", "NODE_OPTIONS", "NODE_REPL_EXTERNAL_MODULE", "BUN_OPTIONS"),
        *("RUBYLIB", "RUBYOPT", "BUNDLE_GEMFILE", "PERL5LIB", "PERL5OPT", "PERL5DB", "PERLLIB"),
        *("BASH_ENV", "ENV", "ZDOTDIR", "LUA_PATH", "LUA_INIT"),
        *("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "MAVEN_OPTS", "GRADLE_OPTS"),
        *("RUSTC", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"),
    }
)
# These name installed libraries and tools, too, which are needed unless they are the project's.
LIBRARY_VARIABLES = frozenset(
    {
        *("LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"),
        *("DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "GEM_HOME", "GEM_PATH", "GOROOT", "GOENV"),
        *(
            "COREPACK_HOME",
            "CARGO_HOME",
            "RUSTUP_HOME",
            "COMPOSER_HOME",
            "GOTOOLCHAIN",
            "PNPM_HOME",
        ),
        *("NVM_DIR", "PYENV_ROOT", "ASDF_DIR", "ASDF_DATA_DIR", "VOLTA_HOME", "MISE_DATA_DIR"),
        *("PHPRC", "PHP_INI_SCAN_DIR", "RUSTUP_TOOLCHAIN", "GOTOOLCHAIN"),
    }
)


def host_variables(environment: Mapping[str, str], project: Path | None = None) -> dict[str, str]:
    """The variables without those by which the program would load code of the project."""
    return {
        name: value
        for name, value in environment.items()
        if name not in CODE_VARIABLES
        and not (name in LIBRARY_VARIABLES and project and _leads_into(value, project))
    }


def _leads_into(value: str, project: Path) -> bool:
    """Whether a part of the value is a path in the project, or depends on where one is."""
    parts = [Path(os.path.normpath(part)) for part in value.replace(" ", os.pathsep).split(":")]
    return any(
        part.is_relative_to(project) or (not part.is_absolute() and os.sep in value)
        for part in parts
    )
