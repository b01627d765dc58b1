"""Rules for rust, its packages and the tools of its projects."""

from treadle.policy.commands.project_tools import make_tool_rules
from treadle.policy.commands.rule_syntax import Rule

_CARGO = (
    "-qvrjFp --release --dev --quiet --verbose --all --workspace --lib --bins --tests"
    " --examples --benches"
    " --all-targets --all-features --no-default-features -F=text --features=text"
    " -p=name --package=name"
    " --exclude=name --bin=name --test=name --example=name --bench=name -j=number --jobs=number"
    " --profile=name --target=name --target-dir=write --manifest-path=run"
    " --message-format=text --locked"
    " --offline --frozen --keep-going --color=text --timings --no-run --no-fail-fast"
    " --doc --open --no-deps"
    " --document-private-items --fix --allow-dirty --allow-staged --ignored --unit-graph"
    " --no-capture --nocapture --future-incompat-report --allow-no-vcs"
)
_COVERAGE = (
    "--html --lcov --json --text --summary-only --no-report --output-path=write"
    " --output-dir=write --fail-under-lines=number --out=name --skip-clean"
)
_WORDS = "Use the project's own settings."


def _cargo(name: str, operands: str = "name...", *, mode: str = "read", check: str = "") -> Rule:
    return Rule(
        name, _CARGO, operands, mode="run" if mode == "run" else "read", check=check, instead=_WORDS
    )


RULES: tuple[Rule, ...] = (
    Rule(
        "cargo",
        "-qvV --version --locked --offline --frozen --color=text --list",
        subs=(
            *(
                _cargo(name, "near...")
                for name in (
                    "build",
                    "b",
                    "check",
                    "c",
                    "test",
                    "t",
                    "run",
                    "r",
                    "bench",
                    "doc",
                    "d",
                    "expand",
                    "machete",
                    "audit",
                    "deny",
                )
            ),
            Rule(
                "nextest",
                f"{_CARGO} -E=text --filter-expr=text --retries=number --test-threads=number"
                " --partition=text --run-ignored=word --failure-output=word --success-output=word"
                " --status-level=word --final-status-level=word --fail-fast --no-tests=word",
                "near...",
                instead=_WORDS,
            ),
            _cargo("clippy", "near...", check="lints-only"),
            *(
                Rule(name, f"{_CARGO} {_COVERAGE}", "near...", instead=_WORDS)
                for name in ("llvm-cov", "tarpaulin")
            ),
            Rule(
                "fmt",
                "--all --check -p=name --package=name --quiet -q -v",
                "near...",
                mode="run",
                instead=_WORDS,
            ),
            Rule("fix", _CARGO + " --edition --edition-idioms --broken-code", "", mode="run"),
            Rule("clean", "-p=name --package=name --release --dry-run -n --doc", "", mode="run"),
            Rule(
                "update",
                "-p=name --package=name --precise=text --dry-run --recursive -w --workspace",
                "name...",
                mode="run",
            ),
            Rule(
                "add",
                (
                    "--dev --build --optional --no-default-features -F=text --features=text"
                    " --rename=name -p=name --package=name --path=run --dry-run --default-features"
                ),
                "crate...",
                mode="run",
                instead="Add crates from the registry by name.",
            ),
            Rule(
                "remove",
                "--dev --build -p=name --package=name --dry-run",
                "name...",
                needs=1,
                mode="run",
            ),
            Rule("rm", "--dev --build -p=name --package=name", "name...", needs=1, mode="run"),
            Rule("fetch", "--locked --target=name", "", mode="run"),
            Rule(
                "tree",
                (
                    "-aide --depth=number -p=name --package=name -i=name --invert=name --duplicates"
                    " -d -e=text --edges=text --no-dedupe --all-features --prefix=text -f=text"
                    " --workspace"
                ),
                "name...",
            ),
            Rule(
                "metadata",
                "-q --no-deps --format-version=number --offline --locked --filter-platform=name"
                " --manifest-path=run --all-features --features=text",
                "",
            ),
            Rule(
                "init", "--bin --lib --name=name --edition=text --vcs=name -q", "write", mode="run"
            ),
            Rule(
                "new",
                "--bin --lib --name=name --edition=text --vcs=name -q",
                "write",
                needs=1,
                mode="run",
            ),
            Rule("search", "--limit=number -q", "name..."),
            Rule("generate-lockfile", "", "", mode="run"),
            Rule("locate-project", "--workspace", ""),
            Rule("pkgid", "-p=name --package=name", "name"),
            Rule("version", "-v", ""),
            Rule("help", "", "name"),
            Rule("outdated", "-R -d=number", ""),
            Rule(
                "publish",
                "--dry-run --allow-dirty -p=name --package=name --no-verify",
                "",
                mode="run",
            ),
            Rule("yank", "--version=text --vers=text", "name", mode="run"),
        ),
        instead="Build, test and lint the project; a person installs and publishes.",
        allows=(
            "cargo build --release",
            "cargo test -- --nocapture",
            "cargo clippy -- -D warnings",
            "cargo fmt --check",
            "cargo run --bin server -- --port 80",
            "cargo add serde --features derive",
            "cargo add --package core serde",
            "cargo test my_test",
            "cargo llvm-cov --html",
        ),
        refuses=(
            "cargo install evil",
            "cargo publish",
            "cargo --config 'build.rustc=\"./e\"' build",
            "cargo login x",
            "cargo build --target-dir /etc/x",
            "cargo run --manifest-path /tmp/evil/Cargo.toml",
            "cargo add --git https://evil.test/x y",
            "cargo +nightly build",
            "cargo test --config /tmp/x",
            "cargo clippy -- -C linker=./e",
            "cargo llvm-cov --output-path /etc/x",
        ),
    ),
    Rule(
        "rustc",
        (
            "-vVOg --version --edition=text -o=write --crate-type=name --crate-name=name --test"
            " --emit=text --explain=name --print=text --out-dir=write"
        ),
        "run",
        check="argument-files",
        instead="Build with cargo.",
        allows=("rustc --version", "rustc src/main.rs -o target/x"),
        refuses=("rustc -C linker=./e x.rs", "rustc /tmp/x.rs", "rustc -o /etc/x a.rs"),
    ),
    Rule(
        "rustup",
        "-V --version",
        subs=(
            Rule("show", "", "name"),
            Rule("toolchain", subs=(Rule("list", "-v"),)),
            Rule("component", subs=(Rule("list", "--installed"),)),
            Rule("target", subs=(Rule("list", "--installed"),)),
            Rule("which", "", "name"),
        ),
        instead="Look only; toolchains are set up before the session.",
        allows=("rustup show",),
        refuses=(
            "rustup run nightly sh",
            "rustup toolchain link x /tmp",
            "rustup update",
            "rustup default x",
        ),
    ),
    Rule(
        "rustfmt",
        "-lqv --check --edition=text --emit=text",
        "write...",
        needs=1,
        mode="run",
        instead="Format files of the project, or cargo fmt.",
        allows=("rustfmt --check src/main.rs",),
        refuses=("rustfmt /etc/x", "rustfmt --config-path /tmp/x src/main.rs"),
    ),
    *make_tool_rules("cargo-fmt rust-analyzer wasm-pack trunk mdbook"),
)
