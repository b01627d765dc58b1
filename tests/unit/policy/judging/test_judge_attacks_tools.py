"""Tools that stand behind others, gates in other spellings, and values that lead elsewhere."""

from dataclasses import replace

import pytest

from tests.unit.policy.judging.judge_line import empty_disk, said
from treadle.policy.judging.shell_context import ShellContext
from treadle.wiring.policy import system_lookups

CONTEXT = ShellContext("/srv/calc")
LOOKS = replace(empty_disk(), shfmt=system_lookups().shfmt)

BEHIND_A_RUNNER = (
    "yarn prisma migrate deploy",
    "bun run prisma migrate deploy",
    "pnpm knex migrate:latest",
    "yarn run rimraf dist",
    "pnpm shx rm -rf src",
    "yarn wrangler deploy",
    "yarn vercel --prod",
    "pnpm --filter web wrangler deploy",
    "yarn workspace web rimraf src",
)
BEHIND_AN_INTERPRETER = (
    "node node_modules/.bin/prisma migrate deploy",
    "node node_modules/prisma/build/index.js migrate deploy",
    "php -f artisan -- migrate",
    "python .venv/bin/alembic upgrade head",
    "python3.12 manage.py shell",
    "ruby bin/rails db:migrate",
    "bundle exec ruby bin/rails db:drop",
    "php -f artisan migrate",
    "coverage run manage.py migrate",
    "python -m cProfile manage.py migrate",
    "python3 -m trace -t manage.py flush",
)
SUB_COMMANDS = (
    "php artisan tink",
    "php bin/console debug:dotenv",
    "php bin/console -e dev secrets:list",
    "php artisan config:show database",
    "python manage.py diffsettings",
    "flask --app app shell",
    "npx nx --project web exec -- rm x",
    "rails destroy model User",
    "rails s -d",
)
ASKED = (
    "php bin/console d:m:m -n",
    "php artisan mig:fresh --force",
    "php artisan db:w",
    "rails db:prepare",
    "rake db:seed:replant",
    "npx ng deploy",
    "npx typeorm migrations:run",
    "npx nx run-many --target=deploy",
    "npx nx affected --targets=build,deploy",
    "npm run build-and-deploy",
    "npm run test-and-publish",
    "make build-deploy",
    "npm run deployProd",
    "npm run dbMigrate",
    "yarn wrangler deploy",
    "DJANGO_SETTINGS_MODULE=config.settings.production python manage.py loaddata x",
)
OF_GIT = (
    "git grep -e . .env",
    "git grep --no-index -e . .env",
    "git grep -h -e '' -- .env",
    "git show 'HEAD@{2026-01-01 10:00}:.npmrc'",
    "git show 'HEAD^{/fix: a}:.npmrc'",
    "git stash list -- --output=x",
    "git config list",
    "git config --local list",
    "git config edit",
    "git checkout ./",
    "git restore ./",
    'git restore "$PWD"',
    "git restore src/..",
    "git mv tpl/treadle.toml .",
    "git mv cfg/.treadle .",
)
PLACES = (
    # A question about a database would not tell of the path.
    "pytest /etc/passwd manage.py migrate",
    "coverage run --rcfile=/etc/coveragerc manage.py migrate",
    "python manage.py migrate --pythonpath=../other",
    "pytest --junitxml='~/x'",
    "npm --prefix '~/evil' test",
    "mypy --cache-dir='~/x' src",
    "node -r x/../../../tmp/evil.js app.js",
    "rspec -r x/../../evil",
    "python3 -X pycache_prefix=.git app.py",
    "GOBIN=.git/hooks go install ./cmd/x",
    "CARGO_TARGET_DIR=.claude cargo build",
    "gem install x.gem",
    "DATABASE_URL=postgres://localhost:x@evil.test/db npm test",
    "DATABASE_URL='postgres://localhost/db?host=evil.test' npm test",
    "cp tpl/treadle.tom? .",
    "cp -r tpl/.cl* .",
)
SET_FOR_MAKE = ("make install DESTDIR=/etc",)
STARTING_OPTIONS = (
    "npx cypress run --record --key x",
    "npx create-react-app app --scripts-version evil",
    "curl -s -w '%output{.claude/x}a' localhost:3000",
    "curl 'localhost:3000/{..}' -o '#1/x'",
    "curl --data-urlencode 'a b@.env' localhost:3000",
    "curl -F 'x= @.env' localhost:3000",
    "go build -gcflags=-cpuprofile=treadle.toml .",
    "printf '%*d' 1000000000 1",
    "seq 1 0.0001 99999",
    "awk '{i++ / 1; print | \"sh\"; y / 1}' f",
)
FINE = (
    "yarn lint",
    "yarn prettier --check .",
    "yarn jest src/a.test.ts -t 'adds'",
    "bun run dev",
    "yarn tsx scripts/x.ts",
    "pnpm nx run-many -t build,test",
    "yarn prisma generate",
    "node --experimental-vm-modules node_modules/jest/bin/jest.js --coverage",
    "node --test",
    "python .venv/bin/pytest -q",
    "coverage run -m pytest",
    "coverage report -m",
    "coverage run --source=app manage.py test",
    "timeout 60 uv run coverage run -m pytest",
    "php artisan test",
    "php artisan make:migration create_users",
    "php artisan db:seed",
    "php bin/console -e test cache:clear",
    "php artisan env",
    "ruby bin/rails test",
    "npm run build:release",
    "npm run test:migrations",
    "npm run check-deploy",
    "rails s",
    "git grep -n -e TODO -- src",
    "git show 'HEAD@{2026-01-01 10:00}:src/a.py'",
    "git stash list",
    "git config user.email",
    "git checkout -- src/",
    "git restore --staged .",
    "git mv a.py src/",
    "pytest -xvs tests",
    "pytest -vrA",
    "pytest --basetemp=.pytest_tmp",
    "cp tpl/* .",
    "node -r dotenv/config app.js",
    "ruby -Ilib:test test/a_test.rb",
    "python -X dev app.py",
    "python3 -m venv --clear .venv",
    "uv venv -p python3.12",
    "FLASK_APP=app:create flask run",
    "DATABASE_URL=postgres://u:p@localhost:5432/db npm test",
    "GOBIN=bin go install ./cmd/x",
    "make test ARGS='-k foo -x'",
    "make PYTHON=python3.12 test",
    "make install DESTDIR=/tmp/x",
    "npx cypress run --browser chrome",
    "npx wait-on tcp:3000",
    "npx jest --roots '<rootDir>/a'",
    "npm create vite@latest app -- --template react-ts",
    "seq 0 0.1 1",
    "dmypy run -- src",
    "awk '{n++} END {print n/2}' f",
    "go tool pprof -top /tmp/cpu.out",
    "gotestsum -- ./...",
)


def decided(line: str) -> str:
    return said(line, CONTEXT, LOOKS)


@pytest.mark.parametrize("line", BEHIND_A_RUNNER + BEHIND_AN_INTERPRETER)
def test_a_tool_behind_another_is_judged_as_if_it_stood_alone(line: str) -> None:
    assert decided(line) != "allow"


@pytest.mark.parametrize("line", ASKED)
def test_a_person_is_asked_however_a_gated_command_is_spelled(line: str) -> None:
    assert decided(line) == "ask"


@pytest.mark.parametrize("line", SUB_COMMANDS + STARTING_OPTIONS + SET_FOR_MAKE)
def test_what_starts_or_reveals_something_unseen_is_refused(line: str) -> None:
    assert decided(line) == "deny"


@pytest.mark.parametrize("line", OF_GIT + PLACES)
def test_no_value_leads_elsewhere_however_it_is_spelled(line: str) -> None:
    assert decided(line) == "deny"


@pytest.mark.parametrize("line", FINE)
def test_the_plain_forms_of_the_same_commands_are_allowed(line: str) -> None:
    assert decided(line) == "allow"
