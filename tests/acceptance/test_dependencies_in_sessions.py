"""An agent adds a dependency in its session, and checks and tests find it."""

import json
from shutil import which

import pytest

from tests.acceptance.harness import ONE_DELIVERABLE, CommandHarness, script
from tests.missing import missing
from tests.unit.adapters.packages.registry import registry

TOKEN = "s3cret-registry-token"
ADD_TINY = """
  - role: implementer
    turns:
      - tool: Bash
        input: {command: npm install tiny}
      - tool: Write
        input: {file_path: hello.txt, content: "hello\\n"}
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-001, status: passed}
      - text: Built and checked.
"""


@pytest.mark.parametrize(("indexes", "installed"), [("open", True), ("setup", False)])
def test_an_agent_adds_a_dependency_from_a_private_registry(
    harness: CommandHarness, indexes: str, installed: bool
) -> None:
    if which("npm", path="/usr/local/bin:/usr/bin") is None:
        missing("npm")
    with registry() as served:
        url = f"{served.url}/npm/"
        (harness.home / ".npmrc").write_text(
            f"registry={url}\n{url.removeprefix('http:')}:_authToken={TOKEN}\n"
        )
        # Without an index npm would try again for more than a minute.
        (harness.project / ".npmrc").write_text("fetch-retries=0\n")
        (harness.project / "package.json").write_text('{"name": "p", "version": "1.0.0"}\n')
        (harness.project / ".gitignore").write_text("node_modules/\n.treadle/\n")
        harness.git("add", "-A")
        harness.git("commit", "-q", "-m", "A package")

        done = harness.deliver(
            script(ONE_DELIVERABLE, ADD_TINY),
            settings={
                "policy.profiles": '["node"]',
                "sandbox.indexes": f'"{indexes}"',
                "project.setup": '"npm install"',
                "project.test": '"node -e \'require(\\"tiny/package.json\\")\'"',
            },
        )

    package = json.loads((harness.project / "package.json").read_text())
    assert ("tiny" in package.get("dependencies", {})) is installed, done.stdout
    if installed:
        assert done.exit_code == 0, done.stderr
        lock = json.loads((harness.project / "package-lock.json").read_text())
        assert lock["packages"]["node_modules/tiny"]["resolved"] == f"{url}tiny/-/tiny-1.0.0.tgz"
        # Nothing else is asked for: neither an audit nor a newer version of npm.
        assert [e["allowed"] for e in done.of_type("host.asked")] == [True]
    assert set(served.authorizations) <= {f"Bearer {TOKEN}"}
    assert TOKEN not in done.stdout + done.stderr
