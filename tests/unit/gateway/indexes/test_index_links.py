"""What an answer of an index links to."""

import gzip
import json

import pytest

from treadle.domain.package_index import IndexKind, PackageIndex
from treadle.gateway.indexes.index_links import IndexLinks, decoded, find_links

PAGE = "https://index.example/simple/tiny/"


@pytest.mark.parametrize(
    ("kind", "content_type", "body", "links"),
    [
        (
            "python",
            "text/html",
            '<a href="https://files.example/t.whl#sha256=1">t</a> <a class=x href="../../p/t.zip">',
            IndexLinks(("https://files.example/t.whl", "https://index.example/p/t.zip")),
        ),
        (
            "python",
            "application/vnd.pypi.simple.v1+json",
            json.dumps({"files": [{"url": "https://files.example/t.whl"}, {"url": "t.zip"}]}),
            IndexLinks(
                ("https://files.example/t.whl", "https://index.example/simple/tiny/t.zip"),
            ),
        ),
        (
            "python",
            "application/json",
            json.dumps(
                {
                    "info": {"home_page": "https://evil.example/x.whl"},
                    "urls": [{"url": "https://files.example/a.whl"}],
                    "releases": {"1": [{"url": "https://files.example/b.whl"}]},
                }
            ),
            IndexLinks(("https://files.example/a.whl", "https://files.example/b.whl")),
        ),
        (
            "node",
            "application/json",
            json.dumps(
                {
                    "readme": '"tarball": "https://evil.example/r.tgz"',
                    "dist": {"tarball": "https://evil.example/own.tgz"},
                    "versions": {
                        "1.0.0": {
                            "dist": {"tarball": "https://files.example/t.tgz"},
                            "config": {"dist": {"tarball": "https://evil.example/c.tgz"}},
                            "tarball": "https://evil.example/v.tgz",
                        },
                        "broken": None,
                    },
                }
            ),
            IndexLinks(("https://files.example/t.tgz",)),
        ),
        ("node", "application/json", "[1]", IndexLinks()),
        ("node", "text/html", "<html>", IndexLinks()),
        ("go", "text/plain", "https://evil.example/x.zip", IndexLinks()),
    ],
)
def test_only_what_the_index_itself_fills_in_is_a_link(
    kind: IndexKind, content_type: str, body: str, links: IndexLinks
) -> None:
    index = PackageIndex(kind, "https://index.example/simple")
    url = PAGE.rstrip("/") if kind == "node" else PAGE

    assert find_links(index, url=url, content_type=content_type, body=body.encode()) == links


@pytest.mark.parametrize(
    ("path", "files"),
    [
        ("tiny", ("https://files.example/listed.tgz",)),
        ("@ours/tiny", ("https://files.example/listed.tgz",)),
        ("@ours%2ftiny", ("https://files.example/listed.tgz",)),
        ("tiny/1.0.0", ("https://files.example/own.tgz",)),
        ("@ours/tiny/latest", ("https://files.example/own.tgz",)),
        ("-/package/tiny/dist-tags", ()),
    ],
)
def test_the_document_of_a_version_links_to_its_own_file_only(
    path: str, files: tuple[str, ...]
) -> None:
    body = json.dumps(
        {
            "dist": {"tarball": "https://files.example/own.tgz"},
            "versions": {"1": {"dist": {"tarball": "https://files.example/listed.tgz"}}},
        }
    ).encode()
    url, index = f"https://index.example/npm/{path}", "https://index.example/npm/"
    links = find_links(
        PackageIndex("node", index), url=url, content_type="application/json", body=body
    )

    assert links == IndexLinks(files)


@pytest.mark.parametrize(
    ("download", "template"),
    [
        ("https://dl.example/crates", "https://dl.example/crates/{crate}/{version}/download"),
        (
            "https://dl.example/{crate}-{version}.crate",
            "https://dl.example/{crate}-{version}.crate",
        ),
    ],
)
def test_a_registry_of_crates_names_a_template(download: str, template: str) -> None:
    url = "https://index.example/config.json"
    body = json.dumps({"dl": download, "api": "https://evil.example"}).encode()

    index = PackageIndex("rust", "https://index.example/")

    assert find_links(index, url=url, content_type="", body=body) == IndexLinks(
        templates=(template,)
    )


@pytest.mark.parametrize(
    ("body", "encoding", "plain"),
    [
        (b"x", "", b"x"),
        (b"x", "identity", b"x"),
        (gzip.compress(b"x", mtime=0), "gzip", b"x"),
        (b"not compressed", "gzip", None),
        (b"x", "br", None),
    ],
)
def test_only_gzip_is_decoded(body: bytes, encoding: str, plain: bytes | None) -> None:
    assert decoded(body, encoding) == plain
