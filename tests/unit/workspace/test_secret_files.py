"""Untracked files of secrets are not part of a snapshot, and stay where they are."""

from pathlib import Path

import pytest

from tests.unit.policy.secret_samples import GITHUB, PEM
from treadle.domain.errors import ProjectError
from treadle.domain.events.run import RunWarned
from treadle.workspace.checkout_landing import LandedCommit, land
from treadle.workspace.imports import ImportedBranch
from treadle.workspace.project import find_project
from treadle.workspace.secret_files import (
    CheckoutSecrets,
    is_secret_name,
    list_names,
    secrets_notices,
)
from treadle.workspace.snapshot import take_snapshot

from .real_git import RUN, import_run, repository_in, run_on
from .workspace_harness import make_harness


@pytest.mark.parametrize(
    "path",
    [
        *(".env", ".env.local", "app/.env.production", "prod.env", "id_rsa", "keys/id_ed25519"),
        *("credentials.json", "secrets.yaml", "service-account.json", "server.key", ".netrc"),
        *(".dev.vars", ".dev.vars.production", ".secrets", ".secret", "app/.secrets.toml"),
        *(".vault-token", ".vault_pass", "vault_password.txt", "kubeconfig", "prod.kubeconfig"),
        *("kubeconfig.yaml", ".kube/config", "ops/.kube/config", ".docker/config.json"),
        *(".dockercfg", ".my.cnf", ".pgpass", ".htpasswd", "secrets.yml", "service-account-1.json"),
        *("client_secret.json", "client_secret_12.apps.json", "x/client-secrets.json", ".s3cfg"),
        *("shop-firebase-adminsdk-a1.json", "AuthKey_1.p8", "key.properties", ".ssh/config"),
        *("local.settings.json", "credentials.tfrc.json", ".aws/credentials", "secrets.ini"),
    ],
)
def test_files_of_secrets_are_known_by_their_names(path: str) -> None:
    assert is_secret_name(path)


@pytest.mark.parametrize(
    "path",
    [
        *(".env.example", ".env.sample", "app/.env.template", "env.ts", "secrets.py"),
        # Their content decides.
        *("certificate.pem", ".npmrc", "dev.tfvars"),
        *(".docker/compose.yml", ".env/readme.md"),
        *("kubeconfig.go", "src/secrets.py", "docs/kubeconfig", "client_secret.go", "my.cnf"),
        *("client_secret.example.json", "tests/fixtures/kubeconfig", "examples/.dev.vars"),
        *(".secrets.baseline", "config.json", "docker/config.json", "kube/config", "secret"),
        *(".dev.vars.example", "kubeconfig_test.py", "templates/.my.cnf", "secrets.md"),
    ],
)
def test_other_files_are_not(path: str) -> None:
    assert not is_secret_name(path)


async def test_untracked_files_of_secrets_are_left_out_of_the_snapshot(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.write(".gitignore", "ignored.env\n")
    for name in (".env", "config/.env.production", "ignored.env", "new.txt"):
        user.write(name, "DEBUG=1\n")
    user.write("notes.txt", f"the token is {GITHUB}\n")
    user.write("cert.pem", "-----BEGIN CERTIFICATE-----\n")
    user.write("own.pem", PEM)
    before = user.state()

    snapshot = await take_snapshot(await find_project(user.path, user.environment), RUN)

    assert sorted(user.tree(snapshot.commit)) == [
        *(".gitignore", "cert.pem", "changed.txt", "kept.txt", "new.txt")
    ]
    assert snapshot.secrets == CheckoutSecrets(
        left_out=(".env", "config/.env.production", "notes.txt", "own.pem")
    )
    assert user.state() == before


async def test_a_checkout_with_nothing_else_is_clean(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.write(".env", "TOKEN=1\n")

    snapshot = await take_snapshot(await find_project(user.path, user.environment), RUN)

    assert (snapshot.commit, snapshot.dirty) == (user.head, False)


async def test_a_tracked_file_stays_part_of_it_and_is_reported_if_it_was_changed(
    tmp_path: Path,
) -> None:
    user = repository_in(tmp_path)
    user.commit("Settings", **{".env": f"A={GITHUB}\n", "kept.env": f"A={GITHUB}\n"})
    user.write(".env", f"B={GITHUB}\n")

    snapshot = await take_snapshot(await find_project(user.path, user.environment), RUN)

    assert user.tree(snapshot.commit)[".env"] == f"B={GITHUB}"
    assert snapshot.secrets == CheckoutSecrets(in_snapshot=(".env",))


async def test_work_lands_beside_a_file_that_was_left_out(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.write(".env", "TOKEN=1\n")
    user.write("uncommitted.txt")
    run = await run_on(user)
    assert not (run.clone.path / ".env").exists()
    run.agent.write("work.txt")
    imported = await import_run(run)
    assert isinstance(imported, ImportedBranch)

    landed = await land(run.project, run.snapshot, imported, RUN)

    assert landed == LandedCommit(imported.commit)
    assert sorted(user.tree()) == ["changed.txt", "kept.txt", "uncommitted.txt", "work.txt"]
    assert user.git("status", "--porcelain") == "?? .env"


async def test_the_start_of_a_run_names_the_files(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.write(".env")

    harness = await make_harness(tmp_path, user)

    assert harness.events[0] == RunWarned(
        "left out of the run: .env (untracked, and looks like a secret file); add it to"
        " .gitignore, and to workspace.include if tests need it"
    )


async def test_an_untracked_specification_with_a_secret_is_refused(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.git("rm", "-q", "--cached", "kept.txt")
    user.git("commit", "-q", "-m", "Untracked")
    user.write("kept.txt", f"use {GITHUB}\n")

    with pytest.raises(ProjectError) as refused:
        await make_harness(tmp_path, user)

    assert refused.value.message == (
        "kept.txt is untracked and contains what looks like a secret, so the agent does not get it"
    )


def test_changed_tracked_files_get_a_sentence_of_their_own() -> None:
    assert secrets_notices(CheckoutSecrets((), ("a.py", "b.py"))) == [
        "your uncommitted changes of a.py, b.py contain what looks like a secret; they are part"
        " of the run, and land as they are"
    ]
    assert secrets_notices(CheckoutSecrets()) == []


def test_many_names_are_counted() -> None:
    assert list_names(["a", "b"]) == "a, b"
    assert list_names(list("abcdefg")) == "a, b, c, d, e and 2 more"
