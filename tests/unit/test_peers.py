"""The model for comparisons with peers stores each text once; its endpoint answers like OpenAI's."""

import json
import urllib.request
from typing import Any

from ops.peers.stub import Stub, endpoint
from slowwave.inference.static_embedder import StaticEmbedder

TOOL = {"type": "function", "function": {"name": "Memory", "parameters": {"properties": {"content": {}}}}}


def asked(text: str, **more: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}], **more}


def test_the_stub_returns_each_sentence_once_as_text_or_as_a_tool_call() -> None:
    stub = Stub(["I like tea.", "I live in Oslo."])

    told = json.loads(stub.reply(asked("user: I like tea."))["content"])
    called = stub.reply(asked("I like tea. I live in Oslo.", tools=[TOOL]))["tool_calls"]

    assert told == {"memory": [{"id": "0", "text": "I like tea."}]}
    assert [json.loads(one["function"]["arguments"]) for one in called] == [{"content": "I live in Oslo."}]
    assert stub.calls == 2


def test_the_endpoint_speaks_to_clients_of_openai() -> None:
    with endpoint(Stub(["I like tea."]), StaticEmbedder()) as address:

        def post(path: str, body: dict[str, Any]) -> Any:
            request = urllib.request.Request(f"{address}/{path}", json.dumps(body).encode(), method="POST")
            with urllib.request.urlopen(request, timeout=10) as answer:
                return json.load(answer)

        chat = post("chat/completions", asked("I like tea."))
        vectors = post("embeddings", {"input": ["a", "b"]})

    assert chat["choices"][0]["finish_reason"] == "stop"
    assert [len(one["embedding"]) for one in vectors["data"]] == [256, 256]
