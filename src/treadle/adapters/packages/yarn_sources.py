"""The registries of yarn, classic and berry, from its files, variables and answers. Pure."""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from treadle.adapters.packages.index_urls import parse_address, without_login
from treadle.adapters.packages.package_sources import PLACEHOLDER, IndexLogin, ToolSources
from treadle.adapters.packages.user_configuration import UserConfiguration, parse_yaml, table
from treadle.domain.package_index import PackageIndex

# A question for each of the two; the other one fails or prints no address.
YARN_QUESTIONS = (("config", "get", "registry"), ("config", "get", "npmRegistryServer"))
_VARIABLES = ("YARN_REGISTRY", "YARN_NPM_REGISTRY_SERVER")
_VARIABLE = re.compile(r"\$\{(\w+)(?::?-([^}]*))?\}")
_SERVER = "npmRegistryServer"
_LOGIN_KEYS = ("npmAuthToken", "npmAuthIdent")
# Options of ~/.yarnrc.yml that are needed to reach the registries.
_OPTIONS = ("unsafeHttpWhitelist", "npmAlwaysAuth")


def yarn_sources(configuration: UserConfiguration, answers: Sequence[str]) -> ToolSources:
    """yarn's registries; `answers` are those to YARN_QUESTIONS."""
    classic = _classic_registries(configuration.read(configuration.home / ".yarnrc"))
    name = configuration.variable("YARN_RC_FILENAME") or ".yarnrc.yml"
    berry = parse_berry_file(configuration.read(configuration.home / name), configuration.variables)
    variables = {name: configuration.variable(name) for name in _VARIABLES}
    addresses = [*answers, *variables.values(), *classic.values(), *berry_servers(berry).values()]
    default = next(filter(None, map(without_login, answers)), "")
    inside = _without_logins(berry)
    return ToolSources(
        indexes=tuple(
            dict.fromkeys(
                PackageIndex("node", address.url, address.authorization)
                for text in addresses
                if (address := parse_address(text))
            )
        ),
        logins=(
            *berry_logins(berry, default),
            *_variable_login(configuration, default),
        ),
        variables={key: url for key, value in variables.items() if (url := without_login(value))},
        home_files={
            **({".yarnrc": _classic_text(classic)} if classic else {}),
            **({".yarnrc.yml": yaml.safe_dump(inside)} if inside else {}),
        },
    )


def parse_berry_file(text: str, variables: Mapping[str, str]) -> dict[str, Any]:
    """The settings of a `.yarnrc.yml` with its variables filled in."""

    def fill(value: object) -> object:
        match value:
            case str():
                return _VARIABLE.sub(
                    lambda found: variables.get(found.group(1)) or found.group(2) or "", value
                )
            case dict():
                return {str(key): fill(each) for key, each in value.items()}
            case list():
                return [fill(each) for each in value]
            case _:
                return value

    return {key: fill(value) for key, value in parse_yaml(text).items()}


def berry_servers(content: Mapping[str, Any]) -> dict[str, str]:
    """The registries of a `.yarnrc.yml` by their scope, which is empty for the default."""
    servers = {"": content.get(_SERVER)}
    for scope in table(content, "npmScopes"):
        servers[scope] = table(content, "npmScopes", scope).get(_SERVER)
    return {scope: url for scope, url in servers.items() if isinstance(url, str) and url}


def berry_logins(content: Mapping[str, Any], default: str) -> list[IndexLogin]:
    """The logins of a `.yarnrc.yml`; those without an address are for the default registry."""
    sections = [(str(content.get(_SERVER) or default), content)]
    for scope in table(content, "npmScopes"):
        section = table(content, "npmScopes", scope)
        sections.append((str(section.get(_SERVER, "")), section))
    for address in table(content, "npmRegistries"):
        sections.append((address, table(content, "npmRegistries", address)))
    return [
        IndexLogin(header, url=without_login(address) or address, kind="node")
        for address, section in sections
        if address.startswith(("//", "http")) and (header := _authorization(section))
    ]


def login_variables(text: str) -> tuple[str, ...]:
    """The variables that logins of a `.yarnrc.yml` are taken from."""
    lines = [line for line in text.splitlines() if any(key in line for key in _LOGIN_KEYS)]
    return tuple(dict.fromkeys(match.group(1) for match in _VARIABLE.finditer("\n".join(lines))))


def _authorization(section: Mapping[str, Any]) -> str | None:
    token, identity = section.get("npmAuthToken"), section.get("npmAuthIdent")
    if isinstance(token, str) and token:
        return f"Bearer {token}"
    if isinstance(identity, str) and identity:
        return f"Basic {b64encode(identity.encode()).decode() if ':' in identity else identity}"
    return None


def _variable_login(configuration: UserConfiguration, default: str) -> list[IndexLogin]:
    server = without_login(configuration.variable("YARN_NPM_REGISTRY_SERVER")) or default
    header = _authorization(
        {
            "npmAuthToken": configuration.variable("YARN_NPM_AUTH_TOKEN"),
            "npmAuthIdent": configuration.variable("YARN_NPM_AUTH_IDENT"),
        }
    )
    return [IndexLogin(header, url=server, kind="node")] if server and header else []


def _without_logins(content: Mapping[str, Any]) -> dict[str, Any]:
    """What the file inside says; with `npmAlwaysAuth`, yarn asks no registry without a login."""
    inside = _section_without_login(content)
    for key in ("npmScopes", "npmRegistries"):
        sections = {
            str(without_login(name) or name): _section_without_login(table(content, key, name))
            for name in table(content, key)
        }
        if sections:
            inside[key] = sections
    whitelist = content.get("unsafeHttpWhitelist")
    return {**inside, "unsafeHttpWhitelist": whitelist} if whitelist else inside


def _section_without_login(section: Mapping[str, Any]) -> dict[str, Any]:
    inside: dict[str, Any] = {}
    if url := without_login(str(section.get(_SERVER, ""))):
        inside[_SERVER] = url
    if isinstance(section.get("npmAlwaysAuth"), bool):
        inside["npmAlwaysAuth"] = section["npmAlwaysAuth"]
    if _authorization(section):
        inside["npmAuthToken"] = PLACEHOLDER
    return inside


def _classic_registries(text: str) -> dict[str, str]:
    """The registries of a `.yarnrc`: lines such as `registry "https://packages.example"`."""
    pattern = re.compile(
        r'^[^\S\n]*"?((?:@[^:\s"]+:)?registry)"?\s+"?([^\s"]+)"?\s*$', re.MULTILINE
    )
    return {key: url for key, value in pattern.findall(text) if (url := without_login(value))}


def _classic_text(registries: Mapping[str, str]) -> str:
    return "".join(f'"{key}" "{url}"\n' for key, url in registries.items())
