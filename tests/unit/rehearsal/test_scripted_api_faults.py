"""Delays, dropped connections, silence and errors reach the client as the script has them."""

from tests.unit.rehearsal.raw_client import api_of, client_of


async def test_a_delayed_answer_does_not_hold_up_another_session() -> None:
    async with (
        api_of("{text: late, delay: 60}", "{text: soon}") as api,
        client_of(api) as slow,
        client_of(api) as fast,
    ):
        slow.ask("x")
        await api.wait_for_requests(1)

        assert await fast.said("y") == "soon"


async def test_a_pause_between_events_holds_back_the_rest() -> None:
    turns = "{text: abc, chunk: 1, delay_between: 60}"
    async with api_of(turns) as api, client_of(api) as client:
        client.ask()
        head = await client.reader.readuntil(b"\r\n\r\n")
        first = await client.reader.readuntil(b"\n\n\r\n")

    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"event: message_start\n" in first


async def test_a_short_delay_ends() -> None:
    turns = "{text: a, delay: 0.01, delay_between: 0.001}"
    async with api_of(turns) as api, client_of(api) as client:
        assert await client.said() == "a"


async def test_a_dropped_connection_ends_before_the_answer() -> None:
    async with api_of("{drop: before}, {text: again}") as api:
        async with client_of(api) as client:
            client.ask()
            assert await client.reader.read() == b""
        async with client_of(api) as client:
            assert await client.said() == "again"


async def test_a_connection_dropped_in_the_middle_ends_without_the_last_chunk() -> None:
    async with api_of("{drop: middle, text: half}") as api, client_of(api) as client:
        client.ask()
        received = await client.reader.read()

    assert b"half" in received
    assert b"message_stop" not in received
    assert not received.endswith(b"0\r\n\r\n")


async def test_a_hanging_answer_waits_for_the_client_to_leave() -> None:
    async with api_of("{hang: true}, {hang: middle, text: half}, {text: again}") as api:
        async with client_of(api) as client:
            client.ask()
            await api.wait_for_requests(1)
        async with client_of(api) as client:
            client.ask()
            await client.reader.readuntil(b"half")
        async with client_of(api) as client:
            assert await client.said() == "again"


async def test_an_answer_may_be_no_stream_at_all() -> None:
    async with api_of("{body: <html>}, {error: 529}") as api, client_of(api) as client:
        client.ask()
        garbled = await client.answer()
        client.ask()
        failed = await client.answer()

    assert (garbled.status, garbled.body) == (200, b"<html>")
    assert (failed.status, failed.error) == (529, "Overloaded")


async def test_a_text_of_megabytes_arrives_whole() -> None:
    async with api_of("{text_of: {size: 3000000, line: 0}}") as api, client_of(api) as client:
        said = await client.said()

    assert (len(said), "\n" in said) == (3_000_000, False)


async def test_a_dry_script_refuses_and_forbids_to_retry() -> None:
    async with api_of("{text: a}") as api, client_of(api) as client:
        await client.said()
        client.ask()
        refused = await client.answer()

    problem = "session 1 asked for turn 2, but its script has 1 turn"
    assert (refused.status, refused.error) == (402, f"rehearsal failed: {problem}")
    assert (refused.headers["x-should-retry"], api.problems()) == ("false", (problem,))
