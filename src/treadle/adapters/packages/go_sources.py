"""The module proxies of go, from its own answer. Pure."""

import json
import re

from treadle.adapters.packages.index_urls import parse_address, without_login
from treadle.adapters.packages.package_sources import ToolSources, UnsupportedIndex
from treadle.domain.package_index import PackageIndex

_NAMES = (
    *("GOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GONOPROXY", "GOINSECURE", "GOFLAGS"),
    "GOVCS",
)
GO_QUESTION = ("env", "-json", *_NAMES)
_SEPARATOR = re.compile(r"([,|])")
_DIRECT = "go downloads modules from their repositories, which a sandbox cannot reach; set GOPROXY"


def go_sources(output: str) -> ToolSources | None:
    """The module proxies and the checksum database; None if this is no answer to GO_QUESTION."""
    try:
        answer = json.loads(output)
    except ValueError:
        return None
    if not isinstance(answer, dict):
        return None
    values = {name: value for name in _NAMES if isinstance(value := answer.get(name), str)}
    proxies = [
        address
        for part in _SEPARATOR.split(values.get("GOPROXY", ""))
        if (address := parse_address(part))
    ]
    database = _database(values.get("GOSUMDB", ""))
    indexes = [PackageIndex("go", each.url, each.authorization) for each in proxies]
    if proxies and database:
        indexes.append(PackageIndex("go", database))
    unsupported = [] if proxies else [UnsupportedIndex("go", values.get("GOPROXY", ""), _DIRECT)]
    return ToolSources(
        indexes=tuple(indexes),
        variables=_variables(values),
        unsupported=tuple(unsupported),
    )


def _variables(values: dict[str, str]) -> dict[str, str]:
    proxies = "".join(map(_proxy_inside, _SEPARATOR.split(values.get("GOPROXY", ""))))
    return {name: value for name, value in {**values, "GOPROXY": proxies}.items() if value}


def _proxy_inside(part: str) -> str:
    """A proxy without its login; separators and words such as `direct` stay."""
    return without_login(part) or ("off" if "@" in part else part)


def _database(setting: str) -> str:
    """The address of the checksum database: `off`, a name and its key, or also an address."""
    name, *rest = setting.split() or ["off"]
    if name == "off":
        return ""
    address = rest[0] if rest else f"https://{name.partition('+')[0]}"
    return f"{url.rstrip('/')}/" if (url := without_login(address)) else ""
