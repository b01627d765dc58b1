"""Work that another machine would run as soon as it is pushed is a person's to push."""

import pytest

from treadle.domain.check import FileChange, FileChangeKind
from treadle.policy.tool_files import ToolFileSettings
from treadle.runs.publish import why_not_pushed


@pytest.mark.parametrize(
    "path",
    [
        *(".github/workflows/x.yml", ".github/workflows/deep/x.yaml", ".github/actions/a/run.sh"),
        *(".gitlab-ci.yml", ".gitlab/ci/test.yml", "Jenkinsfile", ".circleci/config.yml"),
        *("ci/setup/action.yml", "web/netlify.toml", "vercel.json", ".tekton/run.yaml"),
        *(".forgejo/workflows/x.yml", "azure-pipelines.yml", ".buildkite/hooks/pre-command"),
        # Names that say something else, too.
        *(".github/workflows/codecov.yml", ".github/workflows/jest.config.yaml"),
        *(".github/workflows/test_x.yml", ".circleci/sonar-project.properties"),
        # A link in place of the folder.
        *(".github/workflows", ".github", ".circleci", ".forgejo"),
        *(".readthedocs.yaml", "amplify.yml", ".gitpod.yml", "zuul.d/jobs.yaml", ".gitlab/a.yml"),
    ],
)
def test_what_ci_runs_is_not_pushed_without_a_person(path: str) -> None:
    kinds: tuple[FileChangeKind, ...] = ("added", "changed")
    for how in kinds:
        changes = [FileChange("src/a.py", "changed"), FileChange(path, how)]
        reason = why_not_pushed(changes, ToolFileSettings())
        assert reason == f"it changes what CI runs once it is pushed: {path}" + (
            " (land_name lets it through)"
        )
    assert why_not_pushed([FileChange(path, "added")], ToolFileSettings(name=(path,))) == ""
    assert why_not_pushed([FileChange(path, "removed")], ToolFileSettings()) == ""


@pytest.mark.parametrize(
    "path",
    ["src/workflows/a.py", "tests/test_a.py", ".github/CODEOWNERS", "docs/ci.md", "src/action.py"],
)
def test_other_files_are_pushed(path: str) -> None:
    assert why_not_pushed([FileChange(path, "added")], ToolFileSettings()) == ""
