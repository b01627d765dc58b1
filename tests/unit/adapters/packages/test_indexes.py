"""Indexes are parsed from the output of the user's package tools."""

import pytest

from treadle.adapters.packages.indexes import (
    INDEX_QUERIES,
    IndexQuery,
    find_linked_hosts,
    index_variables,
    parse_indexes,
)
from treadle.domain.package_index import PackageIndex

PYTHON, NODE, GO, RUBY = INDEX_QUERIES


@pytest.mark.parametrize(
    ("question", "said", "found"),
    [
        (PYTHON, "", []),
        (PYTHON, "None\n", []),
        (
            PYTHON,
            "https://index.example/simple\nhttps://more.example:8443/simple/\n",
            [
                PackageIndex("python", "https://index.example/simple"),
                PackageIndex("python", "https://more.example:8443/simple/"),
            ],
        ),
        # a login stays outside
        (
            PYTHON,
            "https://ada:hunter2@index.example/simple?token=x#y",
            [PackageIndex("python", "https://index.example/simple")],
        ),
        (
            NODE,
            '{"registry": "https://packages.example/", "@ours:registry": "http://[::1]:4873/", '
            '"cache": "/x", "proxy": null}',
            [
                PackageIndex("node", "https://packages.example/"),
                PackageIndex("node", "http://[::1]:4873/"),
            ],
        ),
        (NODE, "npm: command failed", []),
        (NODE, "[]", []),
        (
            GO,
            "https://modules.example|https://second.example,direct\n",
            [
                PackageIndex("go", "https://modules.example"),
                PackageIndex("go", "https://second.example"),
            ],
        ),
        (GO, "off\n", []),
        (
            RUBY,
            "*** CURRENT SOURCES ***\n\nhttps://gems.example/\nfile:///srv/gems\nhttp://\n",
            [PackageIndex("ruby", "https://gems.example/")],
        ),
        (RUBY, "https://gems.example:notaport/", []),
    ],
)
def test_an_answer_holds_these_indexes(
    question: IndexQuery, said: str, found: list[PackageIndex]
) -> None:
    assert parse_indexes(question, said) == found


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://index.example/simple", "index.example:443"),
        ("http://index.example/simple", "index.example:80"),
        ("http://[::1]:4873/", "[::1]:4873"),
    ],
)
def test_an_index_is_let_through_by_its_host_and_port(url: str, host: str) -> None:
    assert PackageIndex("files", url).host == host


def test_the_tools_in_the_sandbox_get_the_same_indexes() -> None:
    found = [
        PackageIndex("python", "https://index.example/simple"),
        PackageIndex("python", "https://a.example/"),
        PackageIndex("python", "https://b.example/"),
        PackageIndex("ruby", "https://gems.example/"),
    ]

    assert index_variables(found) == {
        "PIP_INDEX_URL": "https://index.example/simple",
        "PIP_EXTRA_INDEX_URL": "https://a.example/ https://b.example/",
        "UV_DEFAULT_INDEX": "https://index.example/simple",
        "UV_INDEX": "https://a.example/ https://b.example/",
    }


PAGE = """
<a href="https://files.example/a/tiny-1.0.whl#sha256=0">tiny</a>
<a href='https://files.example/b/tiny-2.0.whl'>tiny</a>
<a href="https://index.example/c/tiny-3.0.whl">tiny</a>
<a href="/d/tiny-4.0.whl">tiny</a>
<a href="http://plain.example/tiny-5.0.whl">tiny</a>
<a href="http://index.example:8080/tiny-6.0.whl">tiny</a>
"""


@pytest.mark.parametrize(
    ("index", "linked"),
    [
        ("https://index.example/simple", ["https://files.example/"]),
        (
            "http://index.example/simple",
            [
                "https://files.example/",
                "https://index.example/",
                "http://index.example:8080/",
            ],
        ),
    ],
)
def test_other_hosts_that_an_index_links_to_hold_its_files_if_they_are_spoken_to_as_safely(
    index: str, linked: list[str]
) -> None:
    assert find_linked_hosts(PAGE, PackageIndex("python", index)) == [
        PackageIndex("files", url, linked=True) for url in linked
    ]
