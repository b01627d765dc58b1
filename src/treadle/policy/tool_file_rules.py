"""Files that tools obey by themselves, each with what it can do. Data.

Ask of each row: does it run on the user's machine without anybody starting the project? If it
does and is hardly ever part of a task, it is withheld; if it is often part of one, landing asks.
What only steers tools that a person starts anyway is named. Makefiles, linters, CI and package
scripts are named by `verify.judge_rules`.
"""

from dataclasses import dataclass

from treadle.domain.events.work import ToolFileEffect


@dataclass(frozen=True, slots=True)
class ToolFileRule:
    """Matches files and folders at any depth by name, or by several parts; as lower-case globs."""

    effect: ToolFileEffect
    why: str
    names: tuple[str, ...]
    examples: tuple[str, ...]


# No agent writes these even in its workspace, and no setting lets them land.
PROTECTED_NAMES = (
    *(".git", ".gitmodules", ".gitconfig"),
    *(".claude", ".mcp.json", ".vscode", ".idea"),
    *(".envrc", ".ripgreprc", ".bashrc", ".bash_profile", ".profile", ".zshrc"),
)

_WITHHELD = (
    ToolFileRule(
        "withheld",
        "a coding agent starts its servers and hooks",
        (
            *(".codex", ".gemini", ".qwen", ".amp", ".opencode", "opencode.json*", ".crush"),
            *("crush.json", ".crush.json", ".warp", ".cursor/mcp.json", ".cursor/hooks*"),
            *(".cursor/cli.json", ".cursor/environment.json", ".cursor/worktrees.json"),
            *(".cursor/sandbox.json", ".windsurf/hooks*", ".windsurf/mcp*", ".codeium"),
            *(".clinerules/hooks", ".cline/hooks", ".cline/mcp*", ".roo/mcp*", ".kilocode/mcp*"),
            *(".continue/mcpservers", ".continue/config.*", ".continuerc.json", ".kiro/hooks"),
            *(".kiro/settings", ".junie/mcp", ".trae/mcp*", ".augment/mcp*", ".augment/settings*"),
            *(".factory", ".amazonq/mcp*", ".amazonq/cli-agents", ".tabnine", ".idx", ".vibe"),
            *(".aider.conf.y*ml", ".aider.model.*", ".goose", ".github/hooks", ".copilot", ".pi"),
            *("codebuff.json", "gptme.toml", "conductor.json", ".conductor", ".plandex*"),
            *("gemini-extension.json", ".claude-plugin", ".mcphub", ".trae/hooks*"),
            *(".zencoder", ".codebuddy", ".grok", ".rovodev", ".forge", "forge.y*ml", ".jules"),
            *(".qoder", ".iflow", ".kimi", ".antigravity", ".serena", ".codesandbox"),
        ),
        (".codex/config.toml", "web/.gemini/settings.json", ".cursor/mcp.json", ".idx/dev.nix"),
    ),
    ToolFileRule(
        "withheld",
        "an editor runs it when it opens the folder",
        (
            *(".zed", ".fleet", ".nova", ".helix", ".lapce", ".theia", ".vs", ".atom", ".sublime"),
            *("*.sublime-project", "*.sublime-workspace", "*.code-workspace", ".vim", ".nvim"),
            *(".exrc", ".nvimrc", ".nvim.lua", ".vimrc", "_vimrc", ".gvimrc", ".lvimrc"),
            *(".local.vimrc", ".vimlocal", ".lazy.lua", ".dir-locals*.el", ".emacs", ".emacs.d"),
            *(".spacemacs", ".kakrc", ".ycm_extra_conf.py", ".ropeproject", ".bsp"),
            *(".factorypath", ".settings/org.eclipse.jdt.apt*", ".lsp", ".merlin"),
            *(".externaltoolbuilders", ".kateproject*", ".micro", ".devskim.json", ".nanorc"),
            *(".neoconf.json", ".nlsp-settings", ".luarc.json*", ".phpactor.*", "ruby_lsp"),
            *(".vimspector.json", ".bloop", "nbproject/private"),
        ),
        (".zed/tasks.json", "app.code-workspace", ".exrc", ".dir-locals.el", ".bsp/sbt.json"),
    ),
    ToolFileRule(
        "withheld",
        "a shell or an environment tool runs it",
        (
            *(".envrc.*", ".direnv", ".direnvrc", ".autoenv*", ".ondirrc", ".smartcd*", ".localrc"),
            *(".zshenv", ".zprofile", ".zlogin", ".zlogout", ".bash_login", ".bash_logout"),
            *(".bash_aliases", ".inputrc", ".kshrc", ".mkshrc", ".cshrc", ".tcshrc", ".login"),
            *(".xprofile", ".xinitrc", ".xsession*", ".pam_environment", "fish/config.fish"),
            *("fish/conf.d", ".curlrc", ".wgetrc", ".netrc", ".screenrc", ".tmux.conf"),
            *(
                ".rvmrc",
                ".shadowenv.d",
                ".shadowenv.lisp",
                ".bash_env",
                ".zsh_local",
                ".lessfilter",
            ),
            *(".wezterm.lua", ".zellij", ".xonshrc", ".elvish", ".nushell"),
        ),
        (".envrc.local", ".autoenv.zsh", "home/.zshenv", "fish/conf.d/x.fish", ".direnv/rc"),
    ),
    ToolFileRule(
        "withheld",
        "a debugger or an interpreter runs it when it starts here",
        (
            *(".gdbinit", ".gdbearlyinit", ".lldbinit*", ".radare2rc", ".pdbrc*", ".cgdb"),
            *(".pythonrc*", ".pythonstartup*", ".ipython", ".irbrc", ".pryrc", ".iex.exs"),
            *(".erlang", ".ghci", ".haskeline", ".ocamlinit", ".utoprc", ".rprofile"),
            *(".renviron", ".rdata", ".octaverc", ".juliarc.jl", ".sbtrc", ".ammonite"),
            *(
                ".byebugrc",
                ".rdbgrc*",
                ".debugrc",
                ".delve",
                ".dlv",
                ".jshellrc",
                ".swipl*",
                ".plrc",
            ),
            *(".guile", ".sbclrc", ".clisprc.lisp", ".racketrc", ".perldb", ".psysh.php"),
            *(
                ".psysh",
                ".gemrc",
                ".lambda_startup*",
                ".maxima",
                ".gnuplot",
                ".bpython",
                ".ptpython",
            ),
        ),
        (".gdbinit", "lib/.irbrc", ".Rprofile", ".pdbrc.py", ".ghci"),
    ),
    ToolFileRule(
        "withheld",
        "another version control or a keyring reads it",
        (
            *(".hg", ".hgrc", ".jj", ".svn", ".bzr", ".sl", ".gnupg", ".git-credentials"),
            *(".p4config", ".p4enviro", "_darcs", ".pijul", "_fossil_", ".fslckout"),
            *(".lazygit.y*ml", "lazygit.y*ml"),
        ),
        (".hg/hgrc", ".jj/repo/config.toml", "sub/.svn/wc.db"),
    ),
)

_ASK = (
    ToolFileRule(
        "ask",
        "git runs it when you commit or check out",
        (
            *(".husky", ".githooks", ".git-hooks", "lefthook.*", ".lefthook*", "lefthook-local.*"),
            *(".pre-commit-config.y*ml", ".overcommit.y*ml", "captainhook.json", "hk.pkl"),
            *("prek.toml", ".simple-git-hooks.*", "simple-git-hooks.*", ".rusty-hook.toml"),
            *("commitlint.config.*", ".commitlintrc*", ".gitlint", ".czrc", ".lintstagedrc*"),
            *("lint-staged.config.*", ".trunk", ".git-cz.json", ".cz-config.js", ".opencommit*"),
            *(".cargo-husky", "grumphp.y*ml", ".huskyrc*", "husky.config.*", ".lfsconfig"),
        ),
        (".husky/pre-commit", "lefthook.yml", ".pre-commit-config.yaml", ".lfsconfig"),
    ),
    ToolFileRule(
        "ask",
        "a package manager loads it, and runs what it names",
        (
            *(".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn/releases", ".yarn/plugins", ".pnpmfile.*"),
            *("pnpmfile.*", ".bunfig.toml", "bunfig.toml", ".pnp.*", "pip.conf", "pip.ini"),
            *("uv.toml", "poetry.toml", ".pdm.toml", "pdm.toml", ".pypirc", ".condarc"),
            *(
                ".pdm-python",
                ".conda",
                "conda-meta",
                ".pixi/config.toml",
                ".bundle",
                ".cargo",
                "rust-toolchain",
                "rust-toolchain.toml",
            ),
            *("nuget.config", "directory.build.*", ".mvn", "init.gradle*", "gradle/wrapper"),
            *("gradlew*", "mvnw*", ".sbtopts", ".jvmopts", ".bazelrc", ".bazeliskrc"),
            *(".bazelversion", "gradle/gradle-daemon-jvm.properties", "profiles.clj"),
            *("docker-compose.override.y*ml", "compose.override.y*ml", ".ansible.cfg"),
            *("tools/bazel", ".buckconfig*", ".composer", "ansible.cfg", ".terraformrc"),
        ),
        (".npmrc", ".yarn/releases/yarn.cjs", ".cargo/config.toml", ".mvn/jvm.config", "uv.toml"),
    ),
    ToolFileRule(
        "ask",
        "an editor or a shell offers to run it",
        (
            *(
                ".devcontainer",
                ".devcontainer.json",
                "devbox.json",
                ".flox",
                ".gitpod.y*ml",
                ".ona",
            ),
            *("hie.yaml", "buildserver.json", "rust-analyzer.toml", ".rust-analyzer.toml"),
            *("config.nims", ".solargraph.yml", ".tool-versions", ".elixir_ls", ".nrepl.edn"),
            *(".mise.toml", "mise.toml", ".mise.*.toml", "mise.*.toml", ".mise", ".config/mise"),
            *("mise/config*.toml", ".miserc.toml", ".prototools", ".vfox.toml", ".tmuxp.*"),
            *(".rtx.toml", ".rtx.*.toml", ".replit", ".openhands", ".tmuxinator*", ".teamocil*"),
            *("mcp.json", ".mcp", "*.desktop", "*.lnk", "*.scf", "autorun.inf", "desktop.ini"),
            *("*.command", "*.terminal", "*.library-ms", ".directory"),
        ),
        (".devcontainer/devcontainer.json", "mise.toml", "share/app.desktop", "mcp.json"),
    ),
    ToolFileRule(
        "ask",
        "an interpreter or a notebook server loads it by itself",
        (
            *("sitecustomize.py", "usercustomize.py", "*.pth", "*.egg-link", "pyvenv.cfg"),
            *(".jupyter", "jupyter_*config.*", ".user.ini", "rubygems_plugin.rb", ".startup.jl"),
            *("startup.m", ".node-options", "node.config.json"),
        ),
        ("src/sitecustomize.py", "zz.pth", "jupyter_server_config.py"),
    ),
)

_NAMED = (
    ToolFileRule(
        "named",
        "coding agents follow it",
        (
            *("claude.md", "claude.local.md", "agents.md", "agents.*.md", "agent.md", "gemini.md"),
            *("qwen.md", "crush.md", "warp.md", "codex.md", "opencode.md", "conventions.md"),
            *("replit.md", "skill.md", ".cursorrules", ".cursor", ".windsurfrules", ".windsurf"),
            *(".clinerules*", ".cline", ".roo", ".roorules*", ".roomodes", ".kilocode*"),
            *(
                ".continuerules",
                ".continue",
                ".goosehints",
                ".junie",
                ".kiro",
                ".trae",
                ".augment*",
            ),
            *(".amazonq", ".rules", ".agents", ".agent", ".devin", ".github/copilot*"),
            *(".github/instructions", ".github/prompts", ".github/chatmodes", ".github/agents"),
            *(".github/skills", ".airules", "airules.md", ".aiassistant", ".copilot-*"),
        ),
        ("CLAUDE.md", "docs/AGENTS.md", ".cursor/rules/a.mdc", ".github/copilot-instructions.md"),
    ),
    ToolFileRule(
        "named",
        "git and version managers choose by it which of your programs they run",
        (".gitattributes", ".asdfrc", "flake.nix", "shell.nix", "devenv.*", "pixi.toml"),
        (".gitattributes", "api/.asdfrc", "flake.nix"),
    ),
)

TOOL_FILE_RULES = (*_WITHHELD, *_ASK, *_NAMED)
