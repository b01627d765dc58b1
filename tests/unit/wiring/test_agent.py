"""The agent of a run, whichever it is: whose MCP servers it has."""

import pytest

from treadle.domain.errors import SettingsError
from treadle.wiring.agent import require_free_names


def test_the_name_of_our_own_server_is_taken() -> None:
    with pytest.raises(SettingsError, match=r"mcp_servers\.treadle is Treadle's own") as refused:
        require_free_names({"browser": {}, "treadle": {"command": "x"}})

    assert refused.value.hint == "give the server in [mcp_servers.treadle] another name"


@pytest.mark.parametrize("servers", [None, {}, {"browser": {}, "Treadle": {}}])
def test_other_names_are_free(servers: dict[str, object] | None) -> None:
    require_free_names(servers)
