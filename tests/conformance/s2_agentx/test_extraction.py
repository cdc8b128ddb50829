"""AgentX, extraction by a model: one call yields facts, entities and relationships, with tense and source words."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import psycopg
import pytest
from click.testing import CliRunner

from slowwave import wiring
from slowwave.cli import cli
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope
from slowwave.settings import Settings
from slowwave.wiring.model_client import provider_of
from tests.conftest import NOON
from tests.faults.rig.provider import LocalProvider, answering
from tests.unit.model_packs.talks import claim
from tests.unit.tables import table

ROWS = table(__file__)

TALK = ROWS["talk"]
REPLY = [
    claim(1, "name", "Alice", "I'm Alice"),
    claim(1, "works_at", "Acme", "work at Acme"),
    claim(2, "sister", "Ana", "My sister Ana"),
    claim(2, "also_called", "Nan", "call her Nan", s="Ana"),
    claim(2, "is_a", "potter", "is a potter", s="Ana"),
    claim(3, "attended", "a pottery course in Bergen", "attended a pottery course"),
    claim(4, "will move to", "Rome", "will move to Rome", t="in June"),
]

TENSES = {
    "The user works at Acme": "current",
    "The user attended a pottery course in Bergen": "past",
    "The user will move to Rome in June 2026": "future",
}

Reading = Callable[..., tuple[MemoryScope, LocalProvider]]


@pytest.fixture
def reading(settings: Settings, scope: Scope, heavy_parts: dict[str, object]) -> Iterator[Reading]:
    """Gives a scope of an installation with these settings, and its model."""
    with ExitStack() as ends:

        def install(**more: str) -> tuple[MemoryScope, LocalProvider]:
            provider = ends.enter_context(answering(replies=lambda _: json.dumps({"claims": REPLY})))
            told = {**settings.model_dump(exclude_unset=True), "model_url": provider.url, **more}
            parts = wiring.connect(Settings.load(**told))
            ends.callback(parts.close)
            vars(parts).update(heavy_parts, packs=[])
            wiring.register(parts)
            return MemoryScope(parts, scope), provider

        yield install


def tell(alice: MemoryScope) -> None:
    """Push the talk of noon, and let the model read it."""
    for words in TALK:
        alice.push(words, session="s1", occurred_at=NOON)
    alice.consolidate()


@pytest.mark.requirement("S2.23", "S2.25", "S2.32")
def test_one_call_yields_entities_facts_with_their_tense_and_relationships_of_a_conversation(
    reading: Reading, superuser: psycopg.Connection
) -> None:
    alice, provider = reading(model="echo")
    tell(alice)

    facts = {(fact.subject, fact.predicate, fact.object): fact for fact in alice.facts(form="typed")}
    believed = {key for key, fact in facts.items() if fact.rule.startswith("reader/model@")}
    assert believed == {
        ("user", "name", "Alice"),
        ("user", "works_at", "Acme"),
        ("user", "sister", "Ana"),
        ("Ana", "also_called", "Nan"),
        ("Ana", "is_a", "potter"),
    }
    entities = superuser.execute("SELECT name FROM entities WHERE name IN ('user', 'Ana') ORDER BY 1").fetchall()
    assert entities == [("Ana",), ("user",)]
    (source,) = facts["Ana", "is_a", "potter"].sources
    assert TALK[source.position - 1][source.start : source.end] == "is a potter"
    assert {text: fact.tense for fact in alice.facts() if (text := fact.text) in TENSES} == TENSES
    assert provider.met == ["ok"], "and it took one call"


@pytest.mark.requirement("S2.23")
def test_an_extracted_entity_has_its_type_and_alias(reading: Reading) -> None:
    alice, _ = reading(model="echo")
    tell(alice)

    graph = alice.graph.load()
    ana = graph.named("Nan")
    assert ana is not None
    assert (ana.label, ana.aliases, ana.type) == ("Ana", ("Nan",), "potter")
    assert alice.graph.node("Ana") == ana
    assert graph.named("potter") is None, "a type is no entity"

    alice.graph.upsert_entity("Ana", type="person")
    assert alice.graph.node("Ana").type == "person", "and who tells it of the graph knows better"


@pytest.mark.requirement("S2.28")
@pytest.mark.parametrize(("settings_of", "model"), ROWS["default"])
def test_the_documented_model_is_the_default(reading: Reading, settings_of: dict[str, str], model: str) -> None:
    alice, provider = reading(**settings_of)
    alice.push(TALK[0], session="s1")
    alice.consolidate()

    assert [*provider.models] == [model]
    assert ("works_at", "Acme") in {(fact.predicate, fact.object) for fact in alice.facts()}


@pytest.mark.requirement("S2.28")
def test_the_preset_alone_calls_no_model(connected: Callable[..., wiring.Parts], scope: Scope) -> None:
    parts = connected(preset="agentx")
    MemoryScope(parts, scope).push("I live in Oslo", session="s1")
    MemoryScope(parts, scope).consolidate()

    assert (parts.models, parts.provider) == ({}, None)
    assert [fact.rule.partition("/")[0] for fact in MemoryScope(parts, scope).facts()] == ["everyday"]


@pytest.mark.requirement("S2.28")
@pytest.mark.parametrize(("variables", "told"), ROWS["doctor"])
def test_doctor_names_the_extraction_model_and_whether_it_is_used(
    url: str, variables: dict[str, str], told: str
) -> None:
    env = {"SLOWWAVE_URL": url, **{f"SLOWWAVE_{name}": value for name, value in variables.items()}}
    said = CliRunner().invoke(cli, ["doctor"], env=env).output
    (line,) = (line for line in said.splitlines() if line.startswith("ok   model "))
    assert line.split(maxsplit=2)[2] == told


def test_a_presets_model_is_not_sent_to_the_default_provider() -> None:
    keyed, told = Settings.load(model_key="k"), Settings.load(model_key="k", model_url="http://127.0.0.1:9/v1")

    assert provider_of(keyed, "claude-3-5-haiku-latest") is None
    assert provider_of(told, "claude-3-5-haiku-latest") is not None
