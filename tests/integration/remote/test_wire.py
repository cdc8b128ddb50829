"""The HTTP client repeats safe requests, obeys retry delays, and reads errors that are not ours."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from slowwave import Incorrect, Unavailable
from slowwave.errors import Crowded, Fault
from slowwave.remote import RemoteMemory
from tests.local_server import Request, Response, serving_posts

Answer = Response | None
STORED = {"id": "0b6c1d1e-66ab-4a0c-9d3a-0f6d0a3c2f11", "key": "m1", "state": "stored", "repeated": True}


@contextmanager
def answering(*answers: Answer) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server with *answers* in order, which hangs up for None; its address, and its requests."""
    heard: list[dict[str, Any]] = []
    left = iter(answers)

    def respond(request: Request) -> Answer:
        heard.append(json.loads(request.body))
        return next(left)

    with serving_posts(respond, protocol="HTTP/1.1") as port:
        yield f"http://127.0.0.1:{port}", heard


def problem(title: str, status: int, **more: Any) -> Answer:
    body = json.dumps({"title": title, "status": status, "detail": "this went wrong", **more}).encode()
    return status, {"Content-Type": "application/problem+json"}, body


DONE: Answer = (201, {}, json.dumps(STORED).encode())


def test_a_push_with_a_lost_answer_is_resent_with_the_same_key() -> None:
    with answering(None, problem("Unavailable", 503, retry_after_seconds=0), (502, {}, b"<html>"), DONE) as (
        url,
        heard,
    ):
        with RemoteMemory.connect(url) as memory:
            assert memory.scope("nora").push("I live in Lisbon").repeated
        keys = {one["key"] for one in heard}
    assert (len(heard), len(keys)) == (4, 1)


def test_a_call_without_a_key_is_resent_only_if_the_server_did_not_start_it() -> None:
    crowded = problem("Crowded", 429, retry_after_seconds=0)
    with answering(crowded, None) as (url, heard), RemoteMemory.connect(url) as memory, pytest.raises(Unavailable):
        memory.scope("nora").goals.add("Find a flat")
    assert len(heard) == 2


def test_retries_end_with_the_servers_last_error() -> None:
    crowded = problem("Crowded", 429, retry_after_seconds=7.5, hint="ask less")
    with (
        answering(crowded) as (url, heard),
        RemoteMemory.connect(url, patience_seconds=1) as memory,
        pytest.raises(Crowded) as told,
    ):
        memory.scope("nora").push("I live in Lisbon")
    assert (told.value.retry_after_seconds, told.value.hint, len(heard)) == (7.5, "ask less", 1)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (problem("Fault", 500), Fault),
        ((500, {}, b"oh"), Fault),
        ((200, {}, b"<html>"), Incorrect),
        ((201, {}, b'{"id": 1}'), Incorrect),
    ],
)
def test_an_unexpected_response_raises_our_error(answer: Answer, kind: type[Exception]) -> None:
    with answering(answer) as (url, _), RemoteMemory.connect(url) as memory, pytest.raises(kind):
        memory.scope("nora").push("I live in Lisbon")


def test_a_batch_above_the_servers_limit_is_sent_in_halves() -> None:
    def half(key: str) -> Answer:
        return 201, {}, json.dumps({"items": [{**STORED, "key": key}]}).encode()

    too_long = problem("Incorrect", 413)
    with answering(too_long, half("a"), too_long) as (url, heard), RemoteMemory.connect(url) as memory:
        told = memory.scope("nora").push_many([{"content": "one", "key": "a"}, {"content": "two", "key": "b"}])
    assert [len(one["episodes"]) for one in heard] == [2, 1, 1]
    assert [(one.key, one.state) for one in told] == [("a", "stored"), ("b", "refused")]


def test_an_unreachable_server_is_unavailable_and_a_closed_memory_is_refused() -> None:
    with (
        RemoteMemory.connect("http://127.0.0.1:9", patience_seconds=0) as memory,
        pytest.raises(Unavailable, match="does not answer"),
    ):
        memory.scope("nora").facts()
    with pytest.raises(Incorrect, match="closed"):
        memory.scope("nora").facts()
