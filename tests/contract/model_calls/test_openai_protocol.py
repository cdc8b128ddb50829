"""An endpoint with OpenAI's protocol: one attempt, one time limit, and each refusal under its own name."""

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest

from slowwave.domain.model_calls import Answer
from slowwave.errors import Crowded, Incorrect, Refused, Unavailable
from slowwave.inference.providers import OpenAIProtocol, checked_url
from tests.local_server import Request, Response, serving_posts


class Endpoint:
    """Answers every request with one *status*, *headers* and *body*."""

    def __init__(self) -> None:
        self.status, self.headers = 200, dict[str, str]()
        self.body: bytes | Iterable[bytes] = b"{}"
        self.asked: list[tuple[Mapping[str, str], Any]] = []

    def answer(self, request: Request) -> Response:
        self.asked.append((request.headers, json.loads(request.body)))
        return self.status, self.headers, self.body


@pytest.fixture
def endpoint() -> Iterator[tuple[Endpoint, str]]:
    endpoint = Endpoint()
    with serving_posts(endpoint.answer) as port:
        yield endpoint, f"http://127.0.0.1:{port}/v1"


def ask(url: str, *, key: str = "", seconds: float = 10) -> Answer:
    return OpenAIProtocol(url, "small", key).ask(
        [{"role": "user", "content": "hello"}], {"type": "object"}, most_tokens=9, timeout_seconds=seconds
    )


def said(content: object, *, ended: str = "stop") -> bytes:
    return json.dumps({
        "model": "small-1", "choices": [{"message": {"content": content}, "finish_reason": ended}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2},
    }).encode()  # fmt: skip


def test_a_reply_comes_with_its_model_and_tokens_and_the_key_stays_a_secret(endpoint: tuple[Endpoint, str]) -> None:
    server, url = endpoint
    server.body = said('{"claims": []}')

    answer = ask(url, key="hush")

    assert (answer.text, answer.model, answer.prompt_tokens, answer.reply_tokens, answer.cut) == (
        '{"claims": []}', "small-1", 3, 2, False,
    )  # fmt: skip
    ((headers, sent),) = server.asked
    assert headers["authorization"] == "Bearer hush"
    assert (sent["temperature"], sent["max_tokens"], sent["model"]) == (0, 9, "small")
    assert sent["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert "hush" not in OpenAIProtocol(url, "small", "hush").name
    assert OpenAIProtocol(url, "small", "hush").name != OpenAIProtocol(url, "small", "other").name


@pytest.mark.parametrize(
    ("status", "headers", "body", "error", "wait", "too_long"),
    [
        (429, {"Retry-After": "7"}, b"{}", Crowded, 7.0, None),
        (429, {}, b"{}", Crowded, 0.0, None),
        (500, {}, b"oops", Unavailable, 0.0, None),
        (503, {"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}, b"", Unavailable, 0.0, None),
        (401, {}, b"{}", Unavailable, 60.0, None),
        (400, {}, b"bad", Refused, None, False),
        (400, {}, b"context_length_exceeded", Refused, None, True),
        (413, {}, b"", Refused, None, True),
    ],
)
def test_each_http_error_maps_to_its_own_exception(
    endpoint: tuple[Endpoint, str],
    status: int, headers: dict[str, str], body: bytes, error: type[Exception], wait: float | None,
    too_long: bool | None,
) -> None:  # fmt: skip
    server, url = endpoint
    server.status, server.headers, server.body = status, headers, body

    with pytest.raises(error) as told:
        ask(url)

    assert type(told.value) is error
    assert getattr(told.value, "retry_after_seconds", None) == wait
    assert getattr(told.value, "too_long", None) == too_long


def test_an_invalid_reply_is_stored_unchanged(endpoint: tuple[Endpoint, str]) -> None:
    server, url = endpoint
    for body in (b"<html>sign in</html>", b"[]", b'{"choices": []}', b'{"choices": [{"message": {}}]}'):
        server.body = body
        assert ask(url).text == body.decode()


def test_a_truncated_reply_is_marked_and_a_filtered_reply_is_refused(endpoint: tuple[Endpoint, str]) -> None:
    server, url = endpoint
    server.body = said('{"cla', ended="length")
    assert ask(url).cut

    server.body = said("", ended="content_filter")
    with pytest.raises(Refused):
        ask(url)


def dripping() -> Iterator[bytes]:
    """Give a space every tenth of a second."""
    for _ in range(30):
        time.sleep(0.1)
        yield b" "


def test_a_slowly_dripping_server_is_disconnected(endpoint: tuple[Endpoint, str]) -> None:
    server, url = endpoint
    server.body = dripping()

    with pytest.raises(Unavailable, match=r"did not answer within 0\.3 s") as told:
        ask(url, seconds=0.3)

    assert isinstance(told.value.__cause__, TimeoutError)  # the provider may have answered: the call is charged in full


def test_an_unreachable_provider_is_unavailable_and_an_address_without_a_scheme_is_refused() -> None:
    with pytest.raises(Unavailable, match="cannot be reached"):
        ask("http://127.0.0.1:9/v1")
    with pytest.raises(Incorrect, match="SLOWWAVE_MODEL_URL"):
        checked_url("api.openai.com")
