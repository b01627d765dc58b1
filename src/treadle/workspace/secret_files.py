"""Finds the files of a checkout that seem to hold secrets, by their names or their content.

Only names and well-known forms count, not the values that this process happens to know: the same
files must be found when the run starts and when its work lands.
"""

import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from treadle.policy.judging.secret_files import holds_secrets
from treadle.policy.secret_search import SecretSearch
from treadle.workspace.disk_tree import ChangedPaths

_MOST_BYTES = 1 << 20
_MOST_NAMES = 5
# Most of these hold no secret, so that only their content decides.
_HARMLESS_NAMES = re.compile(r"\.npmrc|.+\.(?:pem|tfvars)", re.IGNORECASE)
# Logins of tools and services. The policy does not know these names: an agent's own files may have
# them, and the sandbox has none of the user's.
_LOGIN_FILES = re.compile(
    r"(?:[^/]+/)?(?:"
    r"\.dev\.vars(?:\..+)?|\.secrets?|\.Renviron|local\.settings\.json"
    r"|\.vault[-_](?:token|pass(?:word)?)(?:\.txt)?|\.?vault[-_]?pass(?:word)?(?:\.txt)?"
    r"|\.?kubeconfig(?:-.+|\.(?:ya?ml|json|conf))?|.+[.-]kubeconfig(?:\.ya?ml)?|\.kube/config"
    r"|\.dockercfg|\.docker/config\.json|\.dockerconfigjson|\.aws/credentials"
    r"|\.my(?:login)?\.cnf|\.s3cfg|\.boto|\.terraformrc|credentials\.tfrc\.json|\.databrickscfg"
    r"|client[-_]secrets?.*\.json|application_default_credentials\.json|gha-creds-.+\.json"
    r"|.+-firebase-adminsdk-.+\.json|\.sentryclirc|\.?rclone\.conf"
    r"|(?:key|keystore)\.properties|\.?secrets?\.(?:properties|ini|env|xml|conf|plist|tfvars)"
    r"|.+\.(?:p8|ppk|kdbx)|\.passwd[-_]s3fs|\.netlify/config\.json|\.cargo/credentials(?:\.toml)?"
    r")",
    re.IGNORECASE,
)
_LOGIN_FOLDERS = re.compile(r"(?:^|/)\.(?:ssh|gnupg|(?P<azure>azure))/", re.IGNORECASE)
# In such folders, and with such words in the name, a file is for show, or for a test.
_FOR_SHOW = frozenset(
    {
        *("example", "examples", "sample", "samples", "template", "templates", "demo", "docs"),
        *("test", "tests", "testdata", "spec", "fixture", "fixtures", "mock", "mocks", "__tests__"),
        *("dist", "defaults", "schema", "fake", "dummy", "stub", "stubs", "pub"),
    }
)


@dataclass(frozen=True, slots=True)
class CheckoutSecrets:
    """Untracked files that are not part of a snapshot, and changed tracked ones that are."""

    left_out: tuple[str, ...] = ()
    in_snapshot: tuple[str, ...] = ()


def is_secret_name(path: str) -> bool:
    """Whether a file is named like one of secrets: `.env`, `id_rsa`, `credentials.json`."""
    name = path.rpartition("/")[2]
    if holds_secrets((name,)) and not _HARMLESS_NAMES.fullmatch(name):
        return True
    if not _is_login_file(path):
        return False
    return _FOR_SHOW.isdisjoint(re.split(r"[/._-]", path.casefold()))


def _is_login_file(path: str) -> bool:
    # No more of a path than a name with its folder: an agent's may have thousands of parts.
    if _LOGIN_FILES.fullmatch("/".join(path.rsplit("/", 2)[-2:])):
        return True
    is_json = path.lower().endswith(".json")
    return any(is_json or not each["azure"] for each in _LOGIN_FOLDERS.finditer(path))


def screen_checkout(root: Path, changed: ChangedPaths) -> tuple[ChangedPaths, CheckoutSecrets]:
    """The changes without untracked files of secrets. A tracked file is the user's decision."""
    search = SecretSearch(())
    untracked = frozenset(changed.untracked)
    left_out = tuple(
        path
        for path in changed.untracked
        if is_secret_name(path) or _holds_secret(root / path, search)
    )
    in_snapshot = tuple(
        path
        for path in changed.present
        if path not in untracked and _holds_secret(root / path, search)
    )
    kept = frozenset(left_out)
    present = tuple(path for path in changed.present if path not in kept)
    return replace(changed, present=present), CheckoutSecrets(left_out, in_snapshot)


def secrets_notices(secrets: CheckoutSecrets) -> list[str]:
    """One sentence for the user about each kind of file."""
    notices = []
    if secrets.left_out:
        notices.append(
            f"left out of the run: {list_names(secrets.left_out)} (untracked, and looks like a"
            " secret file); add it to .gitignore, and to workspace.include if tests need it"
        )
    if secrets.in_snapshot:
        names = list_names(secrets.in_snapshot)
        notices.append(
            f"your uncommitted changes of {names} contain what looks like a secret; they are part"
            " of the run, and land as they are"
        )
    return notices


def list_names(names: Sequence[str], most: int = _MOST_NAMES) -> str:
    """The first names, and how many more there are."""
    listed = ", ".join(names[:most])
    return f"{listed} and {len(names) - most} more" if len(names) > most else listed


def _holds_secret(path: Path, search: SecretSearch) -> bool:
    text = _beginning(path)
    return search.may_hold(text) and any(True for _ in search.find_secrets(text))


def _beginning(path: Path) -> str:
    """The first megabyte of a file, without the zero bytes of UTF-16; empty if it is no file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return ""
        return os.fsdecode(file.read(_MOST_BYTES)).replace("\0", "")
