"""Real servers are asked for the hosts of package files."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from treadle.adapters.packages.index_lookup import find_file_hosts
from treadle.domain.package_index import PackageIndex

LINKED = PackageIndex("files", "https://files.example/", linked=True)


@contextmanager
def server(redirects: dict[str, str]) -> Iterator[tuple[str, list[str]]]:
    """Its address, and what it was asked for, by the address that stood in the request."""
    asked: list[str] = []

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            target = redirects.get(self.path)
            body = b"" if target else b'<a href="https://files.example/tiny.whl">x</a>'
            self.send_response(302 if target else 200)
            if target:
                self.send_header("location", target)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    serving = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    thread = Thread(target=serving.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{serving.server_address[1]}", asked
    finally:
        serving.shutdown()
        serving.server_close()
        thread.join()


def straight(_: str) -> str:
    return ""


async def test_a_page_is_followed_on_its_own_host() -> None:
    redirects = {"/simple/pip/": "/other/pip/"}
    with server(redirects) as (url, asked):
        assert await find_file_hosts([PackageIndex("python", f"{url}/simple")], straight) == [
            LINKED
        ]

    assert asked == ["/simple/pip/", "/other/pip/"]


async def test_no_other_host_is_asked_because_an_index_says_so() -> None:
    with server({}) as (elsewhere, asked):
        redirects = {"/simple/pip/": f"{elsewhere}/simple/pip/"}
        with server(redirects) as (url, _):
            assert await find_file_hosts([PackageIndex("python", f"{url}/simple")], straight) == []

    assert asked == []


async def test_a_circle_has_an_end() -> None:
    with server({"/simple/pip/": "/simple/pip/"}) as (url, asked):
        assert await find_file_hosts([PackageIndex("python", f"{url}/simple")], straight) == []

    assert len(asked) == 4


async def test_the_proxy_is_the_one_that_is_named_and_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "index.example")
    index = PackageIndex("python", "http://index.example/simple")

    with server({}) as (proxy, asked):
        assert await find_file_hosts([index], lambda _: proxy) == [LINKED]
    with server({}) as (url, _):
        assert await find_file_hosts([PackageIndex("python", url)], straight) == [LINKED]

    assert asked == ["http://index.example/simple/pip/"]


@pytest.mark.parametrize("proxy", ["", "socks5://127.0.0.1:1", "nonsense", "http://127.0.0.1:1"])
async def test_an_index_that_cannot_be_asked_links_to_nothing(proxy: str) -> None:
    index = PackageIndex("python", "http://127.0.0.1:1/simple")

    assert await find_file_hosts([index], lambda _: proxy) == []
