"""The memory as an agent's MCP tools, called by the official client in the process of the server."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from slowwave.api.mcp import CallerOf, MemoryServer, ScopeArguments
from slowwave.core.tokens import tokens
from slowwave.memory import Memory
from tests.integration.command import of_alice
from tests.integration.steps import learn

Ask = Callable[..., Any]
MOST_TOKENS_OF_AN_ENTRY = 400
HERE = ScopeArguments("alice", "concierge", "home", "default")


@pytest.fixture
def server(alice: Memory) -> MemoryServer:
    return MemoryServer(CallerOf(lambda: alice, lambda asked, verb: HERE))


def asked(server: MemoryServer, does: Callable[[Client], Awaitable[Any]]) -> Any:
    async def talk() -> Any:
        async with Client(server) as client:
            return await does(client)

    return anyio.run(talk)


@pytest.fixture
def fact_of_bob(alice: Memory) -> str:
    """The id of a fact about another user."""
    (rome,) = learn(alice.scope("bob", agent="concierge", channel="home"), "I live in Rome.").facts()
    return str(rome.id)


@pytest.fixture
def call(server: MemoryServer) -> Ask:
    """Calls a tool, and asserts that the result has no empty values and that its text matches its data."""

    def call(tool: str, **arguments: Any) -> Any:
        found = asked(server, lambda client: client.call_tool(tool, arguments))
        assert not found.is_error, found.content[0].text
        assert "null" not in json.dumps(found.structured_content)
        assert found.content[0].text
        return found

    return call


@pytest.fixture
def refused(server: MemoryServer) -> Ask:
    """Calls a tool that refuses, and returns its sentence."""

    def refused(tool: str, **arguments: Any) -> str:
        found = asked(server, lambda client: client.call_tool(tool, arguments))
        assert found.is_error
        (said,) = found.content
        return str(said.text)

    return refused


def test_each_tool_has_a_short_entry_with_an_output_schema(server: MemoryServer) -> None:
    listed = asked(server, lambda client: client.list_tools()).tools

    names = {"push", "recall", "context", "facts", "why", "review", "correct", "forget"}
    assert {tool.name for tool in listed} == names
    for tool in listed:
        entry = json.dumps(tool.model_dump(mode="json", by_alias=True, exclude_none=True))
        assert tokens(entry) <= MOST_TOKENS_OF_AN_ENTRY, tool.name
        assert tool.output_schema["properties"], tool.name
        assert all(tool.input_schema["properties"]), tool.name


def test_a_question_is_answered_in_few_tokens_the_text_first(call: Ask) -> None:
    found = call("recall", question="Where does the user live?", limit=2, kind="fact")

    first = found.structured_content["memories"][0]
    assert list(first) == ["text", "id", "kind", "on", "score"]
    assert first["text"] == "The user lives in Oslo"
    assert len(first["id"]) == 8
    assert found.content[0].text.startswith("The user lives in Oslo  (fact ")
    assert tokens(found.content[0].text) <= 90
    assert tokens(json.dumps(found.structured_content)) <= 180


def test_a_pushed_text_is_stored_once_and_recalled(call: Ask) -> None:
    told = call("push", content="My bicycle is green.", key="k1", occurred_at="2026-03-02T12:00:00Z")
    again = call("push", content="My bicycle is green.", key="k1", occurred_at="2026-03-02T12:00:00Z")

    assert told.structured_content["state"] == "stored"
    assert told.structured_content.get("repeated") is None
    assert again.structured_content["repeated"] is True
    (best, *_) = call("recall", question="What colour is the bicycle?").structured_content["memories"]
    assert (best["text"], best["kind"], best["on"]) == ("My bicycle is green.", "episode", "2026-03-02")


def test_recall_shortens_a_long_text_and_why_returns_all_of_it(call: Ask) -> None:
    long = f"The recipe of the soup: {'onion, ' * 200}salt."
    call("push", content=long)
    (best, *_) = call("recall", question="the recipe of the soup", limit=1).structured_content["memories"]

    assert len(best["text"]) == 400
    assert call("why", id=best["id"]).structured_content["text"] == long


def test_facts_are_paged_with_a_cursor(call: Ask) -> None:
    every = call("facts").structured_content["facts"]
    first = call("facts", limit=1)
    rest = call("facts", after=first.structured_content["after"]).structured_content["facts"]

    assert [*first.structured_content["facts"], *rest] == every
    assert [one["text"] for one in every] == [
        "The user dislikes techno",
        "The user likes jazz",
        "The user lives in Oslo",
    ]
    then = call("facts", as_of="2026-03-02T12:00:30Z").structured_content["facts"]
    assert [one["text"] for one in then] == ["The user lives in Lisbon"]


def test_the_facts_tool_also_lists_unread_turns(alice: Memory, call: Ask) -> None:
    scope = of_alice(alice)
    learn(scope, "Seit dem Frühling wohne ich mit meinem Bruder in Leipzig.", key="leipzig")
    found = call("facts")
    why, turn = found.structured_content["unread"]

    assert why == "1 turn in German was not read: no rule pack reads this language."
    assert turn.startswith("German: Seit dem Frühling wohne ich mit meinem Bruder in Leipzig.  (")
    assert found.content[0].text.endswith(f"{why}\n{turn}")
    assert "unread" not in call("facts", after=call("facts", limit=1).structured_content["after"]).structured_content


def test_the_why_tool_returns_the_source_words(call: Ask) -> None:
    (home,) = (one for one in call("facts").structured_content["facts"] if "Oslo" in one["text"])
    told = call("why", id=home["id"])

    (step,) = told.structured_content["steps"]
    assert step["evidence"][0]["words"] == "I moved to Oslo"
    assert step["instead_of"] == ["The user lives in Lisbon"]
    assert "I moved to Oslo" in told.content[0].text


def test_a_context_keeps_to_its_tokens(call: Ask) -> None:
    found = call("context", question="Where does Alice live?", max_tokens=60).structured_content

    assert "Oslo" in found["text"]
    assert tokens(found["text"]) <= found["tokens"] <= 60


def test_a_review_can_be_decided_by_a_tool(call: Ask, refused: Ask, alice: Memory) -> None:
    (waits,) = call("review").structured_content["waiting"]

    assert waits["content"] == "No, I meant chess."
    assert "by: is missing" in refused("review", number=waits["number"], verdict="reject")
    assert "no open review 999" in refused("review", number=999, verdict="reject", by="Nora")
    assert call("review", number=waits["number"], verdict="reject", by="Nora").structured_content["delta"]
    assert call("review").structured_content == {"waiting": []}
    assert alice.review() == []


def test_a_user_argument_selects_another_users_memory(call: Ask) -> None:
    call("push", content="I live in Rome.", user="bob")

    (best, *_) = call("recall", question="Where do I live?", user="bob").structured_content["memories"]
    assert best["text"] == "I live in Rome."
    assert call("facts", user="carol").structured_content == {"facts": []}
    assert call("recall", question="Where do I live?", channel="work").structured_content == {"memories": []}


def test_all_problems_of_a_tool_call_are_reported_with_a_hint(refused: Ask) -> None:
    said = refused("recall", limit="many", kind="dream")

    assert said.splitlines() == [
        "recall has 3 problems:",
        "  - question: is missing",
        "  - limit: expected an integer, got text",
        "  - kind: expected 'fact' or 'episode', got 'dream'",
        "  hint: see the schema of recall",
    ]
    assert refused("recall", question=" ").endswith("hint: see the schema of recall")
    assert "  hint: " in refused("why", id="ffffffff-ffff-ffff-ffff-ffffffffffff")


def test_an_internal_error_shows_no_traceback(alice: Memory, caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> Memory:
        raise RuntimeError("the password is swordfish")

    server = MemoryServer(CallerOf(broken, lambda asked, verb: HERE))
    found = asked(server, lambda client: client.call_tool("recall", {"question": "Where?"}))

    assert found.is_error
    assert found.content[0].text == "Error executing tool recall"


def test_a_call_without_a_user_is_refused(alice: Memory) -> None:
    server = MemoryServer(CallerOf(lambda: alice, lambda asked, verb: ScopeArguments(tenant="default")))
    found = asked(server, lambda client: client.call_tool("facts", {}))

    assert "user: is missing" in found.content[0].text


def test_the_profile_and_the_facts_of_a_scope_are_resources(server: MemoryServer) -> None:
    async def read(client: Client) -> list[Any]:
        listed = [str(one.uri) for one in (await client.list_resources()).resources]
        others = ("slowwave://users/alice/facts?channel=home", "slowwave://users/carol/profile")
        texts = [(await client.read_resource(uri)).contents[0].text for uri in (*listed, *others)]  # type: ignore[union-attr]
        return [listed, *texts]

    listed, profile, facts, same, nobody = asked(server, read)

    assert listed == ["slowwave://profile", "slowwave://facts"]
    assert "likes jazz" in profile
    assert facts.splitlines() == ["- The user dislikes techno", "- The user likes jazz", "- The user lives in Oslo"]
    assert same == facts
    assert nobody == "there is no profile of this user yet"


def test_an_invalid_resource_address_is_refused(server: MemoryServer) -> None:
    async def read(client: Client) -> str:
        with pytest.raises(MCPError) as told:
            await client.read_resource("slowwave://users/%20/facts")
        return str(told.value)

    assert "user" in asked(server, read)


def test_the_correct_tool_replaces_a_wrong_fact(call: Ask, refused: Ask, fact_of_bob: str) -> None:
    (home,) = (one for one in call("facts").structured_content["facts"] if "Oslo" in one["text"])

    seen = call("correct", id=home["id"], by="Ann", preview=True)
    done = call("correct", id=home["id"], by="Ann", right="Bergen", reason="misheard")

    assert seen.content[0].text.splitlines()[0] == "would be withdrawn: The user lives in Oslo"
    assert done.structured_content["withdrawn"] == ["The user lives in Oslo"]
    assert [one["text"] for one in call("facts").structured_content["facts"]][-1] == "The user lives in Bergen"
    told = call("why", id=done.structured_content["instead"]).content[0].text
    assert "corrected by Ann: misheard" in told
    assert "no longer believed" in call("why", id=home["id"]).content[0].text
    assert "there is no fact" in refused("correct", id=fact_of_bob, by="Ann")


def test_the_forget_tool_previews_before_it_erases(call: Ask, refused: Ask, fact_of_bob: str) -> None:
    seen = call("forget")

    assert "would be forgotten: The user lives in Oslo" in seen.content[0].text
    assert call("facts").structured_content["facts"]
    assert "erase something else than" in refused("forget", confirm="0" * 32)

    done = call("forget", confirm=seen.structured_content["token"])

    assert done.content[0].text.startswith("forgotten for good: erasure ")
    assert call("facts").structured_content.get("facts", []) == []
    assert "there is no fact" in refused("forget", fact=fact_of_bob)
