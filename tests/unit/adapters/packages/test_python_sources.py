"""The indexes of pip and poetry are found in their answers, files and variables."""

import pytest

from tests.unit.adapters.packages.configuration import ADA, configured
from treadle.adapters.packages.package_sources import (
    IndexLogin,
    ToolSources,
    UnsupportedIndex,
)
from treadle.adapters.packages.python_sources import (
    PipAnswer,
    parse_pip_answer,
    pip_answer_without_pip,
    pip_sources,
    poetry_sources,
)
from treadle.domain.package_index import PackageIndex

DEFAULT = "https://index.example/simple"


@pytest.mark.parametrize("output", ["", "None", "[]", "{}", '{"default": 1}', "Traceback\n"])
def test_other_output_is_no_answer_of_pip(output: str) -> None:
    assert parse_pip_answer(output) is None


def test_the_last_line_is_pips_answer() -> None:
    output = (
        'WARNING: x\n{"default": "https://index.example/simple", "keyring": null, '
        '"indexes": ["https://a.example/"], "certificate": "/ca.pem", "files": ["/etc/pip.conf"]}\n'
    )

    assert parse_pip_answer(output) == PipAnswer(
        DEFAULT, ("https://a.example/",), certificate="/ca.pem", files=("/etc/pip.conf",)
    )


def test_the_default_of_pip_needs_no_file_inside() -> None:
    assert pip_sources(PipAnswer(DEFAULT, (DEFAULT,))) == ToolSources(
        indexes=(PackageIndex("python", DEFAULT),)
    )


def test_pip_gets_one_file_inside_without_logins() -> None:
    answer = PipAnswer(
        DEFAULT,
        ("http://ada:hunter2@a.example/simple", "https://b.example/", "file:///srv/packages"),
        trusted_hosts=("a.example",),
        certificate="/ca.pem",
    )

    assert pip_sources(answer) == ToolSources(
        indexes=(
            PackageIndex("python", "http://a.example/simple", ADA),
            PackageIndex("python", "https://b.example/"),
        ),
        home_files={
            ".config/pip/pip.conf": "[global]\nindex-url = http://a.example/simple\n"
            "extra-index-url = https://b.example/\ntrusted-host = a.example\n"
        },
        authorities=("/ca.pem",),
        unsupported=(
            UnsupportedIndex(
                "pip",
                "file:///srv/packages",
                "it is a directory of this machine; name it in sandbox.readable",
            ),
        ),
    )
    assert "hunter2" not in repr(answer)


def test_without_pip_its_files_and_variables_are_read() -> None:
    configuration = configured(
        {
            ".pip/pip.conf": "[global]\nindex-url = https://old.example/\ncert = /ca.pem\n",
            ".config/pip/pip.conf": "[global]\nindex-url = https://a.example/\n"
            "extra-index-url =\n  https://b.example/\n  https://c.example/\n",
        },
        {"PIP_TRUSTED_HOST": "a.example"},
    )

    answer = pip_answer_without_pip(configuration, DEFAULT)

    assert answer.indexes == ("https://a.example/", "https://b.example/", "https://c.example/")
    assert (answer.trusted_hosts, answer.certificate) == (("a.example",), "/ca.pem")
    assert pip_answer_without_pip(configured(), DEFAULT).indexes == (DEFAULT,)
    variables = {"PIP_INDEX_URL": "https://d.example/"}
    assert pip_answer_without_pip(configured({}, variables), DEFAULT).indexes == (
        "https://d.example/",
    )


def test_poetry_has_its_default_index_and_logins_for_the_names_of_its_own_configuration() -> None:
    configuration = configured(
        {
            ".config/pypoetry/config.toml": "[repositories.third]\nurl = "
            '"https://corp.example/upload/"\n',
            ".config/pypoetry/auth.toml": "[http-basic.my-corp]\n"
            'username = "ada"\npassword = "hunter2"\n[http-basic.other]\nusername = "ada"\n',
        },
        {
            "POETRY_HTTP_BASIC_THIRD_USERNAME": "ada",
            "POETRY_HTTP_BASIC_THIRD_PASSWORD": "hunter2",
        },
    )

    assert poetry_sources(configuration, DEFAULT) == ToolSources(
        indexes=(
            PackageIndex("python", DEFAULT),
            PackageIndex("python", "https://corp.example/upload/", ADA),
        ),
        logins=(
            IndexLogin(ADA, "python", name="MY_CORP"),
            IndexLogin(ADA, "python", name="THIRD"),
        ),
    )
