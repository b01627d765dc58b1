"""Package indexes inside a sandbox, between real sockets."""

import asyncio
import gzip
import json
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import h11
import pytest

from tests.unit.gateway.indexes.registry import Answer, Registry, exchange, inside, registry
from treadle.domain.events.oversight import HostAsked
from treadle.domain.package_index import PackageIndex
from treadle.gateway.allowed_hosts import parse_entries

TOKEN = "Bearer s3cret-token"
INDEX = "https://index.example/simple"
PYTHON = PackageIndex("python", INDEX, TOKEN)
PAGE, FILE = f"{INDEX}/tiny/", "https://files.example/ab/tiny-1.0-py3-none-any.whl"
LINK = f'<a href="{FILE}#sha256=1">tiny</a>'.encode()


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[Registry]:
    async with registry(tmp_path) as running:
        running.answers = {
            PAGE: Answer(LINK, headers={"content-type": "text/html", "etag": '"1"'}),
            FILE: Answer(b"the wheel", headers={"content-type": "application/zip"}),
        }
        yield running


async def test_a_page_and_the_file_that_it_links_to_are_read(
    there: Registry, tmp_path: Path
) -> None:
    with inside(there, tmp_path, PYTHON) as process:
        page = await process.ask(PAGE, accept="text/html")
        file = await process.ask(FILE)

    # As the index wrote it: a lock file is the same as outside.
    assert (page.short, file.short) == ((200, LINK), (200, b"the wheel"))
    assert process.decisions == [
        HostAsked("index.example", 443, allowed=True),
        HostAsked("files.example", 443, allowed=True),
    ]


async def test_the_login_is_added_outside_for_the_index_alone_and_that_of_a_process_is_dropped(
    there: Registry, tmp_path: Path
) -> None:
    with inside(there, tmp_path, PYTHON) as process:
        page = await process.ask(PAGE, authorization="Bearer mine", cookie="a=b", x_other="data")
        await process.ask(FILE, authorization="Bearer mine")

    assert there.logins() == [TOKEN, None]
    assert sorted(there.asked[0].headers) == [
        *("accept", "accept-encoding", "authorization", "host", "user-agent")
    ]
    assert TOKEN not in repr((page, process.decisions))


@pytest.mark.parametrize(
    ("method", "url", "reason"),
    [
        ("PUT", PAGE, "PUT is not passed on: package indexes are read-only here"),
        ("POST", PAGE, "POST is not passed on: package indexes are read-only here"),
        (
            "GET",
            "https://index.example/admin",
            "index.example is open for package files only, and this path is not one",
        ),
    ],
)
async def test_what_is_no_reading_of_the_index_is_refused_with_the_reason(
    there: Registry, tmp_path: Path, method: str, url: str, reason: str
) -> None:
    with inside(there, tmp_path, PYTHON) as process:
        answer = await process.ask(url, method)

    assert (answer.reason, answer.short) == (
        f"Treadle: {reason}",
        (403, f"Treadle: {reason}\n".encode()),
    )
    assert process.decisions == [HostAsked("index.example", 443, allowed=False, reason=reason)]
    assert there.asked == []


async def test_another_host_is_refused_in_the_tunnel_to_it_so_that_programs_show_the_reason(
    there: Registry, tmp_path: Path
) -> None:
    with inside(there, tmp_path, PYTHON) as process:
        closed = await process.ask("https://evil.example/x.whl")
        plain = await process.ask("http://evil.example/x.whl")
        browser = await process.ask("https://cdn.playwright.dev/chromium.zip")

    assert [each.reason for each in (closed, plain, browser)] == [
        "Treadle: evil.example:443 is not in sandbox.hosts",
        "Treadle: evil.example:80 is not in sandbox.hosts",
        "Treadle: cdn.playwright.dev:443 is not in sandbox.hosts"
        " (Playwright downloads browsers from it)",
    ]
    assert not [each for each in there.asked if "evil" in each.url]


async def test_a_lock_file_may_name_a_host_that_no_page_has_named_yet(
    there: Registry, tmp_path: Path
) -> None:
    there.answers[f"{INDEX}/pip/"] = Answer(LINK, headers={"content-type": "text/html"})

    with inside(there, tmp_path, PYTHON) as process:
        file = await process.ask(FILE)
        again = await process.ask("https://evil.example/x.whl")

    assert (file.short, again.status) == ((200, b"the wheel"), 403)
    # The index was asked once.
    assert there.requests() == [f"GET {INDEX}/pip/", f"GET {FILE}"]


async def test_a_redirect_to_another_host_is_followed_outside_and_without_the_login(
    there: Registry, tmp_path: Path
) -> None:
    own, signed = f"{INDEX}/tiny/tiny-2.0.tar.gz", "https://cdn.example/x?signature=abc"
    there.answers[own] = Answer(status=302, headers={"location": signed})
    there.answers[signed] = Answer(b"the archive")

    with inside(there, tmp_path, PYTHON) as process:
        file = await process.ask(own)
        await process.ask("https://cdn.example/x?signature=abc")

    assert file.short == (200, b"the archive")
    assert there.logins()[:2] == [TOKEN, None]
    # It is closed to the process itself.
    assert process.decisions[-1].allowed is False


async def test_a_redirect_of_a_page_is_passed_on_because_links_are_relative_to_it(
    there: Registry, tmp_path: Path
) -> None:
    there.answers[f"{INDEX}/Tiny/"] = Answer(status=301, headers={"location": PAGE})

    with inside(there, tmp_path, PYTHON) as process:
        moved = await process.ask(f"{INDEX}/Tiny/")

    assert (moved.status, moved.headers["location"]) == (301, PAGE)


@pytest.mark.parametrize("target", ["http://cdn.example/x.whl", "https://localhost/x.whl"])
async def test_a_redirect_to_what_no_index_needs_is_not_followed(
    there: Registry, tmp_path: Path, target: str
) -> None:
    own = f"{INDEX}/tiny/tiny-2.0.tar.gz"
    there.answers[own] = Answer(status=302, headers={"location": target})

    with inside(there, tmp_path, PYTHON) as process:
        answer = await process.ask(own)

    assert (answer.status, there.requests()) == (502, [f"GET {own}"])


async def test_an_error_of_an_index_with_a_login_does_not_repeat_it(
    there: Registry, tmp_path: Path
) -> None:
    there.answers[PAGE] = Answer(f"bad login {TOKEN}".encode(), 401)

    with inside(there, tmp_path, PYTHON) as process:
        answer = await process.ask(PAGE)

    assert answer.short == (401, b"Treadle: index.example answered 401\n")


async def test_an_error_of_an_index_without_a_login_is_shown(
    there: Registry, tmp_path: Path
) -> None:
    with inside(there, tmp_path, PackageIndex("python", INDEX)) as process:
        assert (await process.ask(f"{INDEX}/other/")).short == (404, b"no such thing")


async def test_a_page_is_asked_for_again_and_sent_from_the_cache_while_it_is_the_same(
    there: Registry, tmp_path: Path
) -> None:
    for _ in range(2):
        with inside(there, tmp_path, PYTHON) as process:
            assert (await process.ask(PAGE)).short == (200, LINK)
            # Also from the cache, a page opens the hosts that it links to.
            assert (await process.ask(FILE)).status == 200
            assert (await process.ask(PAGE, if_none_match='"1"')).short == (304, b"")

    there.answers[PAGE] = Answer(b"newer", headers={"etag": '"2"'})
    with inside(there, tmp_path, PYTHON) as process:
        assert (await process.ask(PAGE)).short == (200, b"newer")

    validators = [each.headers.get("if-none-match") for each in there.asked if each.url == PAGE]
    assert validators == [None, '"1"', '"1"', '"1"', '"1"']


async def test_a_package_file_is_asked_for_once(there: Registry, tmp_path: Path) -> None:
    for _ in range(2):
        with inside(there, tmp_path, PYTHON) as process:
            await process.ask(PAGE)
            files = [await process.ask(FILE), await process.ask(FILE, range="bytes=0-2")]
            head = await process.ask(FILE, "HEAD")

    assert [each.short for each in files] == [(200, b"the wheel"), (206, b"the")]
    assert files[1].headers["content-range"] == "bytes 0-2/9"
    assert (head.short, head.headers["content-length"]) == ((200, b""), "9")
    assert there.requests().count(f"GET {FILE}") == 1


async def test_a_range_of_a_file_that_is_not_in_the_cache_is_left_to_the_index(
    there: Registry, tmp_path: Path
) -> None:
    there.answers[FILE] = Answer(b"the", 206, {"content-range": "bytes 0-2/9"})

    with inside(there, tmp_path, PYTHON) as process:
        await process.ask(PAGE)
        parts = [await process.ask(FILE, range="bytes=0-2") for _ in range(2)]

    assert [each.short for each in parts] == [(206, b"the")] * 2
    assert [each.headers["range"] for each in there.asked[1:]] == ["bytes=0-2"] * 2


async def test_a_file_that_was_cut_off_reaches_neither_the_process_whole_nor_the_cache(
    there: Registry, tmp_path: Path
) -> None:
    there.answers[FILE] = Answer(b"the w", length=9)

    with inside(there, tmp_path, PYTHON) as process:
        await process.ask(PAGE)
        with pytest.raises(h11.RemoteProtocolError):
            await process.ask(FILE)
        there.answers[FILE] = Answer(b"the wheel")
        assert (await process.ask(FILE)).short == (200, b"the wheel")


async def test_content_that_was_changed_in_the_cache_is_not_used(
    there: Registry, tmp_path: Path
) -> None:
    with inside(there, tmp_path, PYTHON) as process:
        await process.ask(PAGE)
        await process.ask(FILE)
        for path in (tmp_path / "cache" / "content").rglob("*"):
            if path.is_file():
                path.write_bytes(path.read_bytes().swapcase())
        with pytest.raises(h11.RemoteProtocolError):
            await process.ask(FILE)
        assert (await process.ask(FILE)).short == (200, b"the wheel")
        assert (await process.ask(PAGE)).short == (200, LINK)


async def test_a_compressed_page_is_sent_as_the_process_can_read_it(
    there: Registry, tmp_path: Path
) -> None:
    packed = {"content-type": "text/html", "content-encoding": "gzip"}
    there.answers[PAGE] = Answer(gzip.compress(LINK), headers=packed)

    with inside(there, tmp_path, PYTHON) as process:
        small = await process.ask(PAGE, accept_encoding="gzip")
        plain = await process.ask(PAGE)
        file = await process.ask(FILE)

    assert (small.headers["content-encoding"], gzip.decompress(small.body)) == ("gzip", LINK)
    assert ("content-encoding" in plain.headers, plain.body) == (False, LINK)
    assert file.status == 200


async def test_an_index_without_encryption_is_read_by_the_same_rules(
    there: Registry, tmp_path: Path
) -> None:
    index = PackageIndex("node", "http://index.example:8080/npm/", TOKEN)
    url = "http://index.example:8080/npm/left-pad"
    there.answers[url] = Answer(json.dumps({"versions": {}}).encode())

    with inside(there, tmp_path, index) as process:
        page = await process.ask(url)
        refused = await process.ask(url, "PUT")

    assert (page.short, refused.status) == ((200, b'{"versions": {}}'), 403)
    assert there.logins() == [TOKEN]


async def test_an_index_without_encryption_is_read_through_a_tunnel_too(
    there: Registry, tmp_path: Path
) -> None:
    index = PackageIndex("node", "http://index.example:8080/npm/")
    there.answers["http://index.example:8080/npm/left-pad"] = Answer(b"{}")

    with inside(there, tmp_path, index) as process:
        streams = await process.tunnel("index.example:8080")
        page = await exchange(*streams, "GET", "/npm/left-pad", {})

    assert page.short == (200, b"{}")


async def shake_hands(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """As a program that trusts the machine's certificates only; it says what it does not like."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.create_default_context()
    client = context.wrap_bio(incoming, outgoing, server_hostname="index.example")
    while True:
        try:
            client.do_handshake()
        except ssl.SSLWantReadError:
            pass
        finally:
            writer.write(outgoing.read())
        incoming.write(await reader.read(65536))


async def test_a_program_that_does_not_trust_the_sandboxs_certificates_is_recorded(
    there: Registry, tmp_path: Path
) -> None:
    with inside(there, tmp_path, PYTHON) as process:
        reader, writer = await process.tunnel("index.example:443")
        with pytest.raises(ssl.SSLCertVerificationError):
            await shake_hands(reader, writer)
        await reader.read()
        writer.close()

    assert process.decisions == [
        HostAsked(
            *("index.example", 443),
            allowed=False,
            reason="the program does not trust the certificates of the sandbox",
        )
    ]


async def test_a_listed_host_is_passed_through_unless_it_needs_a_login(
    there: Registry, tmp_path: Path
) -> None:
    listed = parse_entries(["index.example:443"])
    with inside(there, tmp_path, PYTHON, listed=listed) as process:
        page = await process.ask(PAGE)
    with inside(there, tmp_path, PackageIndex("python", INDEX), listed=listed) as other:
        # Its name is looked up for a tunnel, and this world has no names.
        refused = await other.ask(PAGE)

    assert (page.short, refused.status) == ((200, LINK), 403)
    assert other.decisions == [
        HostAsked("index.example", 443, allowed=False, reason="index.example is not known")
    ]


async def test_an_index_on_loopback_is_served_at_its_own_port(
    there: Registry, tmp_path: Path
) -> None:
    url = f"http://127.0.0.1:{there.port}/npm/"
    there.answers["/npm/left-pad"] = Answer(b"{}")

    with inside(there, tmp_path, PackageIndex("node", url, TOKEN), proxied=False) as process:
        page = await process.ask_loopback(there.port, "/npm/left-pad")
        refused = await process.ask_loopback(there.port, "/npm/-/whoami")

    assert (page.short, refused.status) == ((200, b"{}"), 403)
    assert (there.requests(), there.logins()) == (["GET /npm/left-pad"], [TOKEN])


async def test_an_index_that_does_not_answer_is_named(tmp_path: Path, there: Registry) -> None:
    with inside(there, tmp_path, PYTHON, proxied=False) as process:
        answer = await process.ask(PAGE)

    assert answer.status == 502
    assert answer.reason.startswith("Treadle: index.example was not reached: ")
