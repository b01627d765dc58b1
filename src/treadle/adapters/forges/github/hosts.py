"""The hosts of GitHub: its own, those of its customers, and where the API of each is. Pure."""

from collections.abc import Mapping

from treadle.domain.forge import RepositoryAddress
from treadle.domain.forge_kind import ForgeCredential, HostRecognition

GITHUB_COM = "github.com"
# Of tenants with data residency.
TENANT_SUFFIX = ".ghe.com"
HOST_VARIABLE = "GH_HOST"

GITHUB_TOKEN = ForgeCredential("github-token", ("GH_TOKEN", "GITHUB_TOKEN"), "GitHub")
ENTERPRISE_TOKEN = ForgeCredential(
    "github-enterprise-token",
    ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"),
    f"the GitHub Enterprise Server that {HOST_VARIABLE} or gh names",
)
# Hosts that serve git alone, or redirect.
_OTHER_NAMES = {"www.github.com": GITHUB_COM, "ssh.github.com": GITHUB_COM}


def web_host(host: str) -> str:
    """The host of web pages and API, for a host of a remote."""
    return _OTHER_NAMES.get(host, host)


def is_enterprise(host: str) -> bool:
    """Whether a customer runs the server. Tokens for it have variables of their own."""
    return host != GITHUB_COM and not host.endswith(TENANT_SUFFIX)


def recognize(host: str, variables: Mapping[str, str]) -> HostRecognition:
    """Whether the host is GitHub by its name, or because the user names it as gh has it."""
    if not is_enterprise(host):
        return "known"
    named = variables.get(HOST_VARIABLE, "").strip().lower()
    return "known" if named and named == host else "unknown"


def credential_for(host: str) -> ForgeCredential:
    return ENTERPRISE_TOKEN if is_enterprise(host) else GITHUB_TOKEN


def rest_url(address: RepositoryAddress) -> str:
    """The root of the REST API, without a slash at its end."""
    if is_enterprise(address.host):
        return f"{address.scheme}://{address.host}/api/v3"
    return f"https://api.{address.host}"


def graphql_url(address: RepositoryAddress) -> str:
    if is_enterprise(address.host):
        return f"{address.scheme}://{address.host}/api/graphql"
    return f"https://api.{address.host}/graphql"
