"""What roles, profiles and settings change about a judgement, and what nothing changes."""

from dataclasses import replace

import pytest

from tests.unit.policy.judging.judge_line import said
from treadle.policy.judging.shell_context import ShellContext
from treadle.wiring.policy import system_lookups

CONTEXT = ShellContext("/srv/calc")


def decided(line: str, context: ShellContext = CONTEXT) -> str:
    return said(line, context, system_lookups())


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("cat src/a.ts | grep x", "allow"),
        ("git diff main...HEAD", "allow"),
        ("npm test", "allow"),
        ("pytest -q 2>&1 | tail -5", "allow"),
        ("npm test > /tmp/out.txt", "allow"),
        ("npm test > out.txt", "deny"),
        ("mkdir x", "deny"),
        ("sed -n 1p x", "allow"),
        ("sed -i s/a/b/ x", "deny"),
        ("git commit -m x", "deny"),
        ("git branch -a", "allow"),
        ("git branch x", "deny"),
        ("npm install", "deny"),
        ("pkill vite", "deny"),
    ],
)
def test_a_role_that_looks_changes_nothing(line: str, decision: str) -> None:
    assert decided(line, replace(CONTEXT, roles="read")) == decision


@pytest.mark.parametrize(
    ("profiles", "line", "decision"),
    [
        ((), "cargo test", "allow"),
        (("python",), "pytest", "allow"),
        (("python",), "npm test", "deny"),
        (("python", "node"), "npm test", "allow"),
        (("go",), "ls", "allow"),
        (("bun",), "bunx tsc --noEmit", "allow"),
        (("python",), "./node_modules/.bin/vitest run", "deny"),
        (("node",), "pkill vite", "allow"),
        (("python",), "pkill vite", "deny"),
    ],
)
def test_a_profile_opens_the_commands_of_its_language(
    profiles: tuple[str, ...], line: str, decision: str
) -> None:
    assert decided(line, replace(CONTEXT, profiles=profiles)) == decision


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("docker ps", "allow"),
        ("docker push x", "ask"),
        ("docker ps > .treadle/x", "deny"),
        ("timeout 5 docker ps", "allow"),
        ("./tools/check.sh all", "allow"),
        ("sudo docker ps", "deny"),
        ("bash -c ls", "deny"),
    ],
)
def test_commands_of_the_settings_are_allowed_besides(line: str, decision: str) -> None:
    allowed = ("docker", "./tools/check.sh", "bash", "sudo")

    assert decided(line, replace(CONTEXT, allow_commands=allowed)) == decision


def test_processes_of_the_settings_may_be_ended_besides() -> None:
    assert decided("pkill postgres") == "deny"
    assert decided("pkill postgres", replace(CONTEXT, allow_pkill_targets=("postgres",))) == "allow"


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("terraform plan", "deny"),
        ("npm run seed", "ask"),
        ("npm run build", "allow"),
        ("timeout 60 npm run seed", "ask"),
        ("cd src && npm run seed --silent", "ask"),
        ("npm --silent run seed", "ask"),
        ("git commit -m 'npm run seed'", "allow"),
        ("make image-one", "ask"),
        ("make other", "allow"),
        ("gcloud run deploy x", "ask"),
    ],
)
def test_patterns_of_the_settings_match_commands_and_not_text(line: str, decision: str) -> None:
    asked = ("npm run seed", "make image-*", "gcloud *")

    assert decided(line, replace(CONTEXT, ask_before=asked)) == decision


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("git push -f origin main", "ask"),
        ("git push -fu origin main", "ask"),
        ("git push origin +main", "ask"),
        ("git push origin :main", "ask"),
        ("git push --delete origin x", "ask"),
        ("git push -u origin feat/force-layout", "allow"),
        ("npm publish", "ask"),
        ("uv publish", "ask"),
        ("vercel --prod", "ask"),
        ("terraform apply", "ask"),
        ("npm run deploy", "ask"),
        ("yarn deploy:staging", "ask"),
        ("make release", "ask"),
        ("npm run test -- deploy", "allow"),
        ("npm install deploy-lib", "allow"),
        ("npm run test:deploy", "allow"),
        ("rails db:migrate", "ask"),
        ("rake db:drop", "ask"),
        ("python manage.py migrate", "ask"),
        ("python manage.py makemigrations", "allow"),
        ("php artisan migrate --force", "ask"),
        ("npx prisma migrate deploy", "ask"),
        ("npx prisma generate", "allow"),
        ("RAILS_ENV=production rails server", "ask"),
        ("NODE_ENV=production npm run build", "allow"),
        ("NODE_ENV=production npm start", "ask"),
        ("ls src/migrations", "allow"),
        ("git commit -m 'deploy to prod; rm -rf x'", "allow"),
        ("grep -rn 'git push --force' docs", "allow"),
    ],
)
def test_a_person_is_asked_before_what_reaches_beyond_the_project(line: str, decision: str) -> None:
    assert decided(line) == decision


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("rm src/a.ts", "allow"),
        ("rm -r build", "allow"),
        ("rm -rf build", "ask"),
        ("rm -fR build", "ask"),
        ("rm --recursive --force build", "ask"),
        ("rm -r .", "deny"),
        ("rm -r .treadle", "deny"),
        ("rm /tmp/x", "deny"),
        ("rm *.log", "deny"),
        ("mv a /tmp/b", "deny"),
        ("git reset --hard HEAD~1", "allow"),
        ("git clean -fdx", "deny"),
    ],
)
def test_destructive_commands_stay_inside_the_project(line: str, decision: str) -> None:
    assert decided(line, replace(CONTEXT, destructive=True)) == decision


@pytest.mark.parametrize("line", ["rm src/a.ts", "git reset --hard HEAD~1", "rmdir x"])
def test_destructive_commands_need_to_be_asked_for(line: str) -> None:
    assert decided(line) == "deny"


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("touch tests/contract/test_new.py", "deny"),
        ("echo x > tests/contract/test_cart.py", "deny"),
        ("sed -i s/a/b/ tests/Contract/test_cart.py", "deny"),
        ("cd tests && touch contract/x", "deny"),
        ("cp a.py web/cart.snap", "deny"),
        ("rm tests/contract/test_cart.py", "deny"),
        ("rm -r tests", "deny"),  # it goes with what it is in
        ("mv tests old", "deny"),
        # Tests are there to be read and run.
        ("cat tests/contract/test_cart.py", "allow"),
        ("cd tests/contract && pytest -q", "allow"),
        ("pytest tests/contract/test_cart.py::test_pays", "allow"),
        ("npx jest tests/contract -t pays", "allow"),
        ("ruff check tests/contract", "allow"),
        ("git diff tests/contract", "allow"),
        ("cp tests/contract/test_cart.py scratch.py", "allow"),
        ("touch tests/test_cart.py", "allow"),
        ("rm -r web/dist", "allow"),
    ],
)
def test_what_the_settings_keep_is_read_and_run_and_not_changed(line: str, decision: str) -> None:
    kept = ("tests/contract", "*.snap")

    assert decided(line, replace(CONTEXT, destructive=True, protected=kept)) == decision
