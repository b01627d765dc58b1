"""The database of runs: named by a variable, else by the project's file, else a local file."""

from pathlib import Path

import pytest

from treadle.domain.errors import SettingsError
from treadle.domain.storage import Storage
from treadle.settings.environment import parse_environment, with_project_database
from treadle.settings.load import ResolvedSettings, resolve_settings
from treadle.settings.settings_table import setting_rows

URL = "postgresql://ada:hunter2@host/name"
FILE = f'[database]\nurl = "{URL}"\n'


def storage(project: Path, text: str | None, **variables: str) -> Storage:
    if text is not None:
        (project / "treadle.toml").write_text(text)
    environment = parse_environment({"TREADLE_ROOT": "/root", "HOME": "/home", **variables})
    return with_project_database(environment, project, lambda _: None).storage


@pytest.mark.parametrize(
    ("text", "variables", "url"),
    [
        (None, {}, ""),
        ("version = 1\n", {}, ""),
        (FILE, {}, URL),
        (FILE, {"TREADLE_DATABASE_URL": "postgres://other/name"}, "postgres://other/name"),
        (FILE, {"TREADLE_DATABASE_URL": ""}, ""),
        (FILE, {"TREADLE_DATABASE__URL": "postgres://other/name"}, "postgres://other/name"),
        (None, {"TREADLE_DATABASE_URL": f" {URL} "}, URL),
        ("this is [no TOML", {}, ""),
    ],
)
def test_a_variable_goes_before_the_file(
    text: str | None, variables: dict[str, str], url: str, tmp_path: Path
) -> None:
    assert storage(tmp_path, text, **variables) == Storage(Path("/root"), url)


def test_a_file_that_names_a_database_must_make_sense(tmp_path: Path) -> None:
    with pytest.raises(SettingsError):
        storage(tmp_path, "database = [no TOML")


def test_processes_that_are_started_know_the_same_database(tmp_path: Path) -> None:
    (tmp_path / "treadle.toml").write_text(FILE)
    environment = with_project_database(
        parse_environment({"HOME": "/home"}), tmp_path, lambda _: None
    )

    assert parse_environment(environment.raw).storage == environment.storage


def test_a_file_that_is_not_trusted_names_no_database(tmp_path: Path) -> None:
    def refuse(_: ResolvedSettings) -> None:
        raise SettingsError("not trusted")

    (tmp_path / "treadle.toml").write_text(FILE)
    with pytest.raises(SettingsError):
        with_project_database(parse_environment({"HOME": "/home"}), tmp_path, refuse)
    said = parse_environment({"HOME": "/home", "TREADLE_DATABASE_URL": URL})

    assert with_project_database(said, tmp_path, refuse) == said


@pytest.mark.parametrize("source", ["file", "variable"])
@pytest.mark.parametrize("url", ["mysql://ada:hunter2@host/name", "host=h password=hunter2"])
def test_what_is_no_address_is_refused_without_being_shown(source: str, url: str) -> None:
    text = f'[database]\nurl = "{url}"\n' if source == "file" else None
    variables = {"TREADLE_DATABASE_URL": url} if source == "variable" else {}

    with pytest.raises(SettingsError) as caught:
        resolve_settings(text, environment=variables)

    said = f"{caught.value.message} {caught.value.hint}"
    assert "expected an address such as postgresql://user@host/name" in said
    assert "hunter2" not in said


def test_config_show_hides_the_password() -> None:
    shown = {row.key: row.value for row in setting_rows(resolve_settings(FILE))}

    assert shown["database.url"] == "postgresql://ada:***@host/name"
