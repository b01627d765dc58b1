"""Which paths `verify.protect` may name."""

from dataclasses import replace

import pytest

from treadle.domain.errors import SettingsError
from treadle.settings.definitions import Settings, VerifySettings
from treadle.wiring.protected_paths import configured_paths


@pytest.mark.parametrize("path", ["", "/etc", "../x", "*"])
def test_what_is_not_a_part_of_the_project_is_refused_with_what_to_write(path: str) -> None:
    settings = replace(Settings(), verify=VerifySettings(protect=("tests", path)))

    with pytest.raises(SettingsError, match=r"verify\.protect: .* is not a path inside") as raised:
        configured_paths(settings)

    assert "tests/contract" in raised.value.hint
