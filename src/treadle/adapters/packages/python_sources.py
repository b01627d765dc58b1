"""The indexes of pip and poetry, from their files, variables and answers. Pure."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treadle.adapters.packages.index_urls import (
    basic_authorization,
    parse_address,
    without_login,
)
from treadle.adapters.packages.package_sources import (
    IndexLogin,
    ToolSources,
    UnsupportedIndex,
)
from treadle.adapters.packages.user_configuration import (
    UserConfiguration,
    parse_ini,
    parse_toml,
    strings,
    table,
)
from treadle.domain.package_index import PackageIndex

# Lets pip resolve its configuration files, variables and defaults. A Python without pip may still
# have the wheel of pip that new virtual environments get.
PIP_SCRIPT = """
import json, sys
try:
    import pip
except ImportError:
    import ensurepip, glob, sysconfig
    folders = [ensurepip.__path__[0] + "/_bundled", sysconfig.get_config_var("WHEEL_PKG_DIR")]
    sys.path += [path for folder in folders for path in glob.glob("%s/pip-*.whl" % folder)]
from pip._internal.commands import create_command
from pip._internal.configuration import get_configuration_files
from pip._internal.models.index import PyPI
options, _ = create_command("download").parser.parse_args([])
print(json.dumps({
    "default": PyPI.simple_url,
    "indexes": [] if options.no_index else [options.index_url, *options.extra_index_urls],
    "trusted_hosts": options.trusted_hosts,
    "certificate": options.cert,
    "keyring": getattr(options, "keyring_provider", ""),
    "files": [path for paths in get_configuration_files().values() for path in paths],
}))
"""
_POETRY_PASSWORD = re.compile(r"POETRY_HTTP_BASIC_(\w+)_PASSWORD")
_DIRECTORY = "it is a directory of this machine; name it in sandbox.readable"


@dataclass(frozen=True, slots=True)
class PipAnswer:
    """What pip says about its configuration; addresses may hold logins."""

    default: str
    indexes: tuple[str, ...] = field(default=(), repr=False)
    trusted_hosts: tuple[str, ...] = ()
    certificate: str = ""
    keyring: str = ""
    files: tuple[str, ...] = ()


def parse_pip_answer(output: str) -> PipAnswer | None:
    """The answer to PIP_SCRIPT; None for other output."""
    lines = output.strip().splitlines()
    try:
        answer = json.loads(lines[-1] if lines else "")
    except ValueError:
        return None
    if not isinstance(answer, dict) or not without_login(str(answer.get("default"))):
        return None
    return PipAnswer(
        default=answer["default"],
        indexes=tuple(strings(answer.get("indexes"))),
        trusted_hosts=tuple(strings(answer.get("trusted_hosts"))),
        certificate=next(iter(strings(answer.get("certificate"))), ""),
        keyring=next(iter(strings(answer.get("keyring"))), ""),
        files=tuple(strings(answer.get("files"))),
    )


def pip_answer_without_pip(configuration: UserConfiguration, default: str) -> PipAnswer:
    """What pip would say, from its files and variables: for a machine that has uv alone."""
    folders = configuration.variable("XDG_CONFIG_DIRS") or "/etc/xdg"
    # The last file wins.
    files = [
        *(Path(folder) / "pip/pip.conf" for folder in folders.split(":")),
        Path("/etc/pip.conf"),
        configuration.home / ".pip/pip.conf",
        configuration.config_home / "pip/pip.conf",
        Path(configuration.variable("PIP_CONFIG_FILE") or "/dev/null"),
    ]
    parsers = [parse_ini(configuration.read(path)) for path in files]
    values = {
        key: parser.get(section, key)
        for section in ("global", "download")
        for parser in parsers
        for key in ("index-url", "extra-index-url", "trusted-host", "cert")
        if parser.has_option(section, key)
    }
    values |= {
        key: value
        for key in ("index-url", "extra-index-url", "trusted-host", "cert")
        if (value := configuration.variable(f"PIP_{key.upper().replace('-', '_')}"))
    }
    return PipAnswer(
        default=default,
        indexes=(values.get("index-url", default), *values.get("extra-index-url", "").split()),
        trusted_hosts=tuple(values.get("trusted-host", "").split()),
        certificate=values.get("cert", ""),
        files=tuple(map(str, files)),
    )


def pip_sources(answer: PipAnswer) -> ToolSources:
    """pip's indexes. Inside, one file says what files and variables say outside."""
    urls = [url for text in answer.indexes if (url := without_login(text))]
    lines = []
    if urls and urls[0] != answer.default:
        lines.append(f"index-url = {urls[0]}")
    if urls[1:]:
        lines.append(f"extra-index-url = {' '.join(urls[1:])}")
    if answer.trusted_hosts and lines:
        lines.append(f"trusted-host = {' '.join(answer.trusted_hosts)}")
    content = "\n".join(("[global]", *lines, ""))
    return ToolSources(
        indexes=tuple(python_indexes(answer.indexes)),
        home_files={".config/pip/pip.conf": content} if lines else {},
        authorities=(answer.certificate,) if answer.certificate else (),
        unsupported=unsupported_directories("pip", answer.indexes),
    )


def poetry_sources(configuration: UserConfiguration, default: str) -> ToolSources:
    """poetry's indexes, and the logins of those that its own configuration names. poetry reads no
    setting of pip: it always uses the default index."""
    folders = (
        Path(configuration.variable("POETRY_CONFIG_DIR") or configuration.config_home / "pypoetry"),
        configuration.home / "Library/Application Support/pypoetry",
    )
    contents = [
        parse_toml(configuration.read(folder / name))
        for folder in folders
        for name in ("config.toml", "auth.toml")
    ]
    published = [
        f"{name}={table(repositories, name).get('url', '')}"
        for content in contents
        for repositories in [table(content, "repositories")]
        for name in repositories
    ]
    logins = (
        *(login for content in contents for login in _stored_logins(content)),
        *variable_logins(configuration.variables, _POETRY_PASSWORD),
    )
    return ToolSources(indexes=tuple(python_indexes([default, *published], logins)), logins=logins)


def _stored_logins(content: Mapping[str, Any]) -> list[IndexLogin]:
    entries = table(content, "http-basic")
    return [
        IndexLogin(
            basic_authorization(str(table(entry).get("username", "")), str(password)),
            name=login_name(name),
            kind="python",
        )
        for name, entry in entries.items()
        if (password := table(entry).get("password"))
    ]


def login_name(name: str) -> str:
    """The name of an index as it is in the names of variables."""
    return re.sub(r"[^A-Z0-9]", "_", name.upper())


def variable_logins(
    variables: Mapping[str, str], password: re.Pattern[str]
) -> tuple[IndexLogin, ...]:
    """The logins of variables with such names; the user name is in a variable beside it."""
    logins = []
    for variable, value in variables.items():
        if (match := password.fullmatch(variable)) and value:
            username = variables.get(variable.removesuffix("PASSWORD") + "USERNAME", "")
            header = basic_authorization(username, value)
            logins.append(IndexLogin(header, name=match.group(1), kind="python"))
    return tuple(logins)


def python_indexes(
    addresses: Iterable[str], logins: Sequence[IndexLogin] = ()
) -> list[PackageIndex]:
    """The indexes of addresses, which uv also accepts as `name=address`."""
    named = {login.name: login.authorization for login in logins}
    indexes = []
    for text in addresses:
        name, url = split_name(text)
        if address := parse_address(url):
            header = address.authorization or named.get(login_name(name))
            indexes.append(PackageIndex("python", address.url, header))
    return indexes


def split_name(text: str) -> tuple[str, str]:
    """The name and the address of an index; the name is empty if there is none."""
    name, equals, address = text.partition("=")
    return (name, address) if equals and re.fullmatch(r"[\w.-]*", name) else ("", text)


def unsupported_directories(tool: str, addresses: Iterable[str]) -> tuple[UnsupportedIndex, ...]:
    """The indexes that are no servers."""
    urls = [split_name(text)[1] for text in addresses]
    return tuple(
        UnsupportedIndex(tool, url, _DIRECTORY) for url in urls if url.startswith(("file:", "/"))
    )
