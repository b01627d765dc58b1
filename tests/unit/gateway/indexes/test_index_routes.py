"""Which requests to package indexes pass, and with which login."""

import pytest

from treadle.domain.package_index import PackageIndex
from treadle.gateway.indexes.index_links import IndexLinks
from treadle.gateway.indexes.index_routes import (
    IndexRefused,
    IndexRoute,
    IndexRoutes,
    Origin,
    may_lead_to,
    origin_of,
)

PYTHON = PackageIndex("python", "https://index.example/api/pypi/simple", "Basic cHk=")
NODE = PackageIndex("node", "https://index.example/api/npm/", "Bearer npm-token")
TEAM = PackageIndex("node", "https://index.example/api/npm/team/", "Bearer team-token")
HERE = Origin("https", "index.example", 443)
FILES = Origin("https", "files.example", 443)
ONLY_FILES = "is open for package files only, and this path is not one"


def routes() -> IndexRoutes:
    return IndexRoutes([PYTHON, NODE, TEAM])


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE", "PATCH", "OPTIONS", "get"])
def test_only_reading_passes(method: str) -> None:
    assert routes().decide(method, HERE, "/api/npm/left-pad") == IndexRefused(
        f"{method} is not passed on: package indexes are read-only here"
    )


def test_a_request_gets_the_login_of_the_index_that_it_belongs_to() -> None:
    page = "/api/pypi/simple/tiny/"
    own, scoped = "/api/npm/left-pad", "/api/npm/team/left-pad"

    assert [routes().decide("GET", HERE, path) for path in (page, own, scoped)] == [
        IndexRoute(f"{HERE.url}{page}", "page", PYTHON, authorization="Basic cHk="),
        IndexRoute(f"{HERE.url}{own}", "page", NODE, authorization="Bearer npm-token"),
        IndexRoute(f"{HERE.url}{scoped}", "page", TEAM, authorization="Bearer team-token"),
    ]


def test_a_file_elsewhere_on_the_host_of_an_index_is_read_without_a_login() -> None:
    archive = "/group/private/-/archive/main.tar.gz"

    assert routes().decide("GET", HERE, archive) == IndexRoute(
        f"{HERE.url}{archive}", "file", PYTHON
    )


def test_a_file_that_the_index_links_to_on_its_own_host_gets_the_login() -> None:
    known, url = routes(), "https://index.example/download/guid/tiny-1.0.whl?v=1"
    known.learn(PYTHON, HERE, IndexLinks((url,)))

    assert known.decide("GET", HERE, "/download/guid/tiny-1.0.whl?v=1") == IndexRoute(
        url, "file", PYTHON, authorization="Basic cHk="
    )
    assert known.decide("GET", HERE, "/download/guid/tiny-1.0.whl?v=2") == IndexRefused(
        f"index.example {ONLY_FILES}"
    )


@pytest.mark.parametrize(
    "path",
    [
        "/api/security/apiKey",
        "/api/security/apiKey?x=.tgz",
        "/api/security/apiKey?#.tgz",
        "/group/private/-/archive/main.tgz",
        "/api/npm/-/npm/v1/tokens",
    ],
)
def test_a_link_to_what_is_no_package_on_the_host_of_the_index_opens_nothing(path: str) -> None:
    known = routes()
    known.learn(NODE, HERE, IndexLinks((f"{HERE.url}{path}",)))
    decision = known.decide("GET", HERE, path)

    assert isinstance(decision, IndexRefused) or decision.authorization is None


@pytest.mark.parametrize(
    "path",
    [
        "/packages/npm/%40ours%2Ftiny/-/1.0.0/tiny-1.0.0.tgz",
        f"/download/@ours/tiny/1.0.0/{'0' * 40}",
        "/api/v4/projects/1/npm/@ours/tiny/-/@ours/tiny-1.0.0.tgz",
    ],
)
def test_a_registry_may_keep_its_files_beside_its_pages(path: str) -> None:
    known = routes()
    known.learn(NODE, HERE, IndexLinks((f"{HERE.url}{path}",)))

    assert known.decide("GET", HERE, path) == IndexRoute(
        f"{HERE.url}{path}", "file", NODE, authorization="Bearer npm-token"
    )


def test_a_host_that_the_index_links_to_is_open_for_files_and_gets_no_login() -> None:
    known = routes()
    assert not known.knows(FILES)
    known.learn(PYTHON, HERE, IndexLinks(("https://files.example/a/tiny-1.0.whl",)))

    assert known.knows(FILES)
    assert known.decide("GET", FILES, "/b/other-2.0.tar.gz") == IndexRoute(
        "https://files.example/b/other-2.0.tar.gz", "file", PYTHON, linked=True
    )
    assert known.decide("GET", FILES, "/login") == IndexRefused(f"files.example {ONLY_FILES}")


def test_a_registry_of_crates_opens_its_downloads_only() -> None:
    rust = PackageIndex("rust", "https://crates.example/index/", "token")
    known, here = IndexRoutes([rust]), Origin("https", "crates.example", 443)
    known.learn(
        rust, here, IndexLinks(templates=("https://crates.example/dl/{crate}/{version}/get",))
    )
    url = "https://crates.example/dl/serde/1.0.0/get"

    assert known.decide("GET", here, "/dl/serde/1.0.0/get") == IndexRoute(
        url, "file", rust, authorization="token"
    )
    assert isinstance(known.decide("GET", here, "/dl/serde/1.0.0/owners"), IndexRefused)


@pytest.mark.parametrize(
    "link",
    [
        "http://files.example/tiny-1.0.whl",
        "ftp://files.example/tiny-1.0.whl",
        "https://localhost/tiny-1.0.whl",
        "https://0x7f.1/tiny-1.0.whl",
        "https://[::1/tiny-1.0.whl",
    ],
)
def test_links_to_what_no_index_needs_open_nothing(link: str) -> None:
    known = routes()
    known.learn(PYTHON, HERE, IndexLinks((link,)))
    origin = origin_of(link)

    assert origin is None or not known.knows(origin)


@pytest.mark.parametrize(
    ("index", "target", "expected"),
    [
        ("https://a.example", "https://b.example", True),
        ("http://a.example", "https://b.example", True),
        ("https://a.example", "http://b.example", False),
        ("https://a.example", "http://a.example", False),
        ("http://a.example:8080", "http://a.example:8081", False),
        ("https://a.example", "https://a.example:8443", True),
        ("https://a.example", "https://127.0.0.1", False),
        ("http://localhost:1", "http://localhost:1", True),
        ("http://localhost:1", "http://localhost:2", False),
        ("https://localhost:1", "https://localhost:2", False),
        ("https://localhost:1", "https://127.0.0.1:1", False),
    ],
)
def test_an_index_leads_elsewhere_by_https_or_as_it_is_reached(
    index: str, target: str, expected: bool
) -> None:
    here, there = origin_of(index), origin_of(target)

    assert here is not None
    assert there is not None
    assert may_lead_to(here, there) is expected


def test_a_login_is_in_no_text_of_a_route() -> None:
    assert "npm-token" not in repr(routes().decide("GET", HERE, "/api/npm/left-pad"))
