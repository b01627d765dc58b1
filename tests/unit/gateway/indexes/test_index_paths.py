"""Which paths of a package index may be read."""

import pytest

from treadle.domain.package_index import IndexKind, PackageIndex
from treadle.gateway.indexes.index_paths import (
    MAX_TARGET,
    PathUse,
    download_pattern,
    is_file_path,
    use_of_path,
)

INDEXES: dict[IndexKind, PackageIndex] = {
    "python": PackageIndex("python", "https://index.example/team/pypi/simple/"),
    "node": PackageIndex("node", "https://index.example/npm/"),
    "rust": PackageIndex("rust", "https://index.example"),
    "go": PackageIndex("go", "https://index.example"),
    "ruby": PackageIndex("ruby", "https://index.example/"),
}


@pytest.mark.parametrize(
    ("kind", "path", "use"),
    [
        ("python", "/team/pypi/simple/", "page"),
        ("python", "/team/pypi/simple/python-dateutil/", "page"),
        ("python", "/team/pypi/simple/zope.interface", "page"),
        ("python", "/team/pypi/pypi/requests/json", "page"),
        ("python", "/team/pypi/pypi/requests/2.0.1/json", "page"),
        ("python", "/team/pypi/packages/ab/tiny-1.0-py3-none-any.whl", "file"),
        ("python", "/team/pypi/simple/tiny/tiny-1.0+cpu.tar.gz", "file"),
        ("python", "/team/pypi/+f/a/tiny-1.0%2Bcpu-py3-none-any.whl.metadata", "file"),
        ("node", "/npm/left-pad", "page"),
        ("node", "/npm/@types/node", "page"),
        ("node", "/npm/@types%2fnode", "page"),
        ("node", "/npm/%40types%2Fnode", "page"),
        ("node", "/npm/left-pad/latest", "page"),
        ("node", "/npm/-/package/@types%2fnode/dist-tags", "page"),
        ("node", "/npm/-/npm/v1/keys", "page"),
        ("node", "/npm/left-pad/-/left-pad-1.3.0.tgz", "file"),
        ("node", "/npm/@types/node/-/node-20.1.0.tgz", "file"),
        ("node", "/npm/@types/node/-/@types/node-20.1.0.tgz", "file"),
        ("rust", "/config.json", "page"),
        ("rust", "/1/a", "page"),
        ("rust", "/3/c/cfg", "page"),
        ("rust", "/se/rd/serde", "page"),
        ("rust", "/api/v1/crates/serde/1.0.0/download", "file"),
        ("rust", "/crates/serde/serde-1.0.0.crate", "file"),
        ("go", "/github.com/!burnt!sushi/toml/@v/list", "page"),
        ("go", "/golang.org/x/text/@latest", "page"),
        ("go", "/golang.org/x/text/@v/v0.14.0.info", "file"),
        ("go", "/golang.org/x/text/@v/v0.14.0.zip", "file"),
        ("go", "/golang.org/x/text/@v/v2.0.0+incompatible.mod", "file"),
        ("go", "/golang.org/x/text/@v/main.info", "page"),
        ("go", "/golang.org/x/text/@v/v1.info", "page"),
        ("go", "/sumdb/sum.example/supported", "page"),
        ("go", "/sumdb/sum.example/tile/8/0/x001/234.p/17", "page"),
        ("go", "/sumdb/sum.example/lookup/golang.org/x/text@v0.14.0", "page"),
        ("go", "/lookup/golang.org/x/text@v0.14.0", "page"),
        ("ruby", "/info/rails", "page"),
        ("ruby", "/versions", "page"),
        ("ruby", "/specs.4.8.gz", "page"),
        ("ruby", "/api/v1/dependencies?gems=rails,rack", "page"),
        ("ruby", "/gems/rails-7.1.0.gem", "file"),
    ],
)
def test_what_a_tool_asks_for_may_be_read(kind: IndexKind, path: str, use: PathUse) -> None:
    assert use_of_path(INDEXES[kind], path) == use


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        # Other things on the same host.
        ("python", "/team/npm/simple/tiny/"),
        ("python", "/admin"),
        ("python", "/team/pypi/simple/tiny/more/"),
        ("python", "/team/pypi/"),
        ("node", "/npm/-/whoami"),
        ("node", "/npm/-/user/org.couchdb.user:ada"),
        ("node", "/npm/-/npm/v1/tokens"),
        ("node", "/npm/-/v1/search"),
        ("node", "/npm/-/all"),
        ("node", "/npm/_session"),
        ("node", "/npmx/left-pad"),
        ("node", "/left-pad"),
        ("rust", "/api/v1/crates"),
        ("rust", "/api/v1/me"),
        ("rust", "/serde"),
        ("go", "/golang.org/x/text"),
        ("go", "/debug/pprof/"),
        ("ruby", "/api/v1/api_key"),
        ("ruby", "/api/v1/dependencies?gems=a&x=b"),
        # Other ways to write a path.
        ("python", "/team/pypi/simple/../../admin/"),
        ("python", "/team/pypi/simple/tiny/./"),
        ("python", "/team/pypi/simple//tiny/"),
        ("python", "/team/pypi/simple/%2e%2e/"),
        ("python", "/team/pypi/simple/%74iny/"),
        ("python", "/team/pypi/simple/tiny%00/"),
        ("python", "/team/pypi/simple/tïny/"),
        ("python", "/team/pypi/packages/../../../admin/x.whl"),
        ("node", "/npm/left-pad\\..\\x"),
        ("node", "/npm/left-pad;x=1"),
        ("node", "npm/left-pad"),
        ("python", "/team/pypi/..%2f..%2fadmin.whl"),
        ("python", "/team/pypi/x%2fadmin.whl"),
        ("python", "/team/pypi/%252e%252e/admin.whl"),
        ("python", "/team/pypi/admin?x=.whl"),
        ("python", "/team/pypi/admin?#.whl"),
        ("python", "/team/pypi/admin#.whl"),
        ("python", "/team/pypi/evil.example/x/@v/v1.0.0.zip"),
        ("node", "/npm/x/1%2f..%2f..%2fapi%2fuser"),
        ("node", "/npm/@x%2f../api"),
        ("node", "/npm/@x%2f..%2fapi"),
        ("node", "/npm/x/-/x-1%2f1.tgz"),
        ("rust", "/anything?#x/crate/1.0/download"),
        ("rust", "/anything?x/crate/1.0/download"),
        ("go", "/golang.org/x/text/@v/v1.0.0%2f..%2fx.zip"),
        # Words that could carry something out.
        ("python", "/team/pypi/simple/tiny/?secret=1"),
        ("python", "/team/pypi/simple/tiny/?"),
        ("node", "/npm/left-pad?write=true"),
        ("python", f"/team/pypi/packages/{'x' * MAX_TARGET}.whl"),
        ("python", f"/team/pypi/simple/{'x' * 300}/"),
    ],
)
def test_other_paths_may_not_be_read(kind: IndexKind, path: str) -> None:
    assert use_of_path(INDEXES[kind], path) is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/packages/ab/cd/tiny-1.0-py3-none-any.whl", True),
        ("/packages/ab/cd/tiny-1.0-py3-none-any.whl.metadata", True),
        ("/tiny-1.0.tar.gz", True),
        ("/tiny/-/tiny-1.0.tgz", True),
        ("/crates/serde/1.0.0/download", True),
        ("/crates/serde/serde-1.0.0.crate", True),
        ("/golang.org/x/text/@v/v0.14.0.zip", False),
        ("/login?x=.whl", False),
        ("/login#.whl", False),
        ("/gems/rails-7.1.0.gem", True),
        ("/", False),
        ("/login", False),
        ("/packages/tiny-1.0.tar.gz?x=1", False),
        ("/a/../tiny-1.0.tar.gz", False),
        ("/.whl", False),
    ],
)
def test_a_host_of_files_is_open_for_package_files_only(path: str, expected: bool) -> None:
    assert is_file_path(path) is expected


def test_the_template_of_a_registry_stands_for_its_crates_only() -> None:
    pattern = download_pattern("https://dl.example/{lowerprefix}/{crate}/{version}.tar?k=1")

    assert pattern.fullmatch("https://dl.example/se/rd/serde/1.0.0.tar?k=1")
    assert not pattern.fullmatch("https://dl.example/se/rd/serde/1.0.0/owners")
    assert not pattern.fullmatch("https://dlxexample/se/rd/serde/1.0.0.tar?k=1")
