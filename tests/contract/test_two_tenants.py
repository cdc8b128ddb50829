"""Two tenants with the same names: no verb and no job gives one tenant the words of the other, or changes the other."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from string import Template
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr
from pydantic_core import to_json

from slowwave import wiring
from slowwave.domain.claim import Claim
from slowwave.domain.delta import AddDelta
from slowwave.domain.job_table import JOBS, pack_of
from slowwave.errors import Incorrect, SlowwaveError
from slowwave.inference.static_embedder import StaticEmbedder
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.asynchronous import faces
from slowwave.memory.asynchronous.twin import TWINS
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.testing import move_clock
from tests.contract.erasure import planting
from tests.contract.erasure.planting import TASK, WORDS, found, live
from tests.contract.model_calls.scripted_models import TALK, Talk
from tests.contract.replay.packs import VERSIONS, declare, everything
from tests.contract.summaries.harness import Model, anything, small, telling
from tests.endpoint import serving
from tests.integration.store.rows import tables
from tests.unit.tables import table

MINE, THEIRS = "mine", "theirs"
OURS = {"TOWN": "Brelvermoor", "SPORT": "klopfschwung", "PET": "Mirrelpuff", "TASK": "drosculation"}
"""The words of the tenant that asks; the other tenant says those of `planting`."""
BESIDE = {
    **dict.fromkeys(("Canaries.promote", "Canaries.roll_back", "Memory.check", "Memory.drain"), "covers all tenants"),
    **dict.fromkeys(("Memory.close", "Memory.connect"), "remembers nothing"),
    **dict.fromkeys(
        ("Memory.follow", "Memory.on_delta", "MemoryScope.follow", "MemoryScope.on_delta"),
        "has no end; test_stream asks it as another tenant",
    ),
    **dict.fromkeys(
        ("Consensus.topic_hash", "Graph.format_as_context", "Encryption.new_master_key"), "reads no memory"
    ),
}
"""The verbs that the test does not call, with the reason."""


@dataclass
class Asked:
    """The memory, scope and file of the caller, and what the other tenant has, by the names of `two_tenants.yaml`."""

    m: Memory
    s: MemoryScope
    file: Path
    fact: Any
    episode: Any
    goal: Any
    strategy: Any
    entity: Any
    consensus: str
    run: Any
    hold: int
    letter: Any
    erasure: Any
    recollection: Any
    mine: str = MINE
    theirs: str = THEIRS
    vector: tuple[float, ...] = (1.0, *[0.0] * 383)

    def faces(self) -> dict[str, object]:
        """Return the objects of the caller that have verbs, by the names of their classes."""
        m, s = self.m, self.s
        notebooks = (s.consensus, s.continuum, s.goals, s.graph, s.stream, s.strategies, s.tools, s.tree)
        of_the_tenant = (m.canaries, m.encryption, m.quotas, m.operator(tenant=MINE))
        return {type(face).__name__: face for face in (m, s, *of_the_tenant, *notebooks, s.working("s-one"))}

    def meant(self, given: Any) -> Any:
        """Return an argument of the table with the values that its names stand for."""
        if isinstance(given, str):
            name = given.removeprefix("$")
            return getattr(self, name) if given[:1] == "$" and hasattr(self, name) else Template(given).substitute(SAID)
        if isinstance(given, list):
            return [self.meant(one) for one in given]
        return {key: self.meant(one) for key, one in given.items()} if isinstance(given, dict) else given


def call(a: Asked, face: str, verb: str, given: Any) -> object:
    """Call a verb with the arguments of the table."""
    method, meant = getattr(a.faces()[face], verb), a.meant(given)
    return method(**meant) if isinstance(given, dict) else method(*meant)


Call = Callable[[Asked], Any]
SAID = {"TOWN": planting.TOWN, "SPORT": planting.SPORT, "PET": planting.PET, "TASK": planting.TASK}
CALLS: dict[str, Call] = {
    "MemoryScope.apply": lambda a: a.s.apply(AddDelta.model_validate({
        "fact_payload": {"subject": "user", "predicate": "likes", "object": "tea"}, "source_episode_ids": [a.episode],
        "confidence": 0.9, "rule_id": "test"})),
    "MemoryScope.context": lambda a: a.s.context("Where does nora live?", session="s-one").as_text(),
    "MemoryScope.deltas": lambda a: [*a.s.deltas(run=a.run), *a.s.deltas()],
    "MemoryScope.in_channel": lambda a: a.s.in_channel("trip").facts(),
    "MemoryScope.outlook": lambda a: a.s.outlook(a.s.facts()),
    "MemoryScope.quietly": lambda a: a.s.quietly().recent(),
    "MemoryScope.working": lambda a: a.s.working("s-two").get_context(),
    "Memory.deltas": lambda a: [*a.m.deltas(run=a.run, tenant=MINE), *a.m.deltas(tenant=MINE)],
    "Memory.export": lambda a: (a.m.export(a.file, tenant=MINE), a.file.read_text()),
    "Memory.scope": lambda a: a.m.scope("nora", tenant=MINE).facts(),
    **{
        f"{face}.{verb}": partial(call, face=face, verb=verb, given=given)
        for face, asked in table(__file__).items() for verb, given in asked.items()
    },
}  # fmt: skip


@pytest.fixture
def talkative(settings: Settings, statement_parts: dict[str, object], cache_url: str, small: Model) -> Iterator[Memory]:
    """A memory as of the other suites, with a model."""
    small.provider.replies = anything
    with telling(settings, statement_parts, small, cache_url=SecretStr(cache_url), audit="verbose") as parts:
        yield Memory(parts)


@pytest.fixture
def moved(talkative: Memory, statement_parts: dict[str, object], small: Model) -> Iterator[Memory]:
    """A process on the same database with another embedder, and a pack that needs the model."""
    static = StaticEmbedder()
    with serving(lambda texts: static.embed(texts)[:, 64:].tolist()) as endpoint:
        own = {"embedding_url": endpoint.url, "embedding_model": "small", "embedding_dimensions": 192}
        packs = {"packs": statement_parts["packs"]}
        with telling(parts_of(talkative).settings, packs, small, embedder="endpoint", **own) as parts:
            vars(parts).update(models={TALK: Talk(model="openai:small?temperature=0")})
            vars(parts).pop("jobs", None)
            wiring.register(parts)
            yield Memory(parts)


def bury(memory: Memory, scope: MemoryScope, word: str) -> None:
    """Make a dead letter of an episode with *word*, and retry the letter."""

    def refuse(_: Claim) -> Claim:
        raise Incorrect(f"{word} cannot be read")

    parts = parts_of(memory)
    declare(parts, refuse, version=next(VERSIONS))
    scope.push(f"I live in {word}.", key="buried", session="s-four")
    scope.consolidate()
    declare(parts, everything, version=next(VERSIONS))
    operator = memory.operator(tenant=scope.scope.tenant)
    assert operator.retry([letter.letter for letter in operator.dead_letters() if letter.pack == "everyday"]) > 0
    memory.drain()


@pytest.fixture
def both(talkative: Memory, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[MemoryScope, MemoryScope]]:
    """Nora's scope in each tenant. Each tenant used every feature, with other words; a canary has read in both."""
    parts = parts_of(talkative)
    declare(parts, everything, version=next(VERSIONS))
    theirs = live(talkative, "nora", tenant=THEIRS)
    theirs.working("s-one").set("secret", WORDS[0])
    with monkeypatch.context() as other:
        for name, word in OURS.items():
            other.setattr(planting, name, word)
        mine = live(talkative, "nora", tenant=MINE)
    yield mine, theirs
    declare(parts)


def asked(memory: Memory, mine: MemoryScope, theirs: MemoryScope, file: Path) -> Asked:
    """Return the ids of the other tenant."""
    theirs.push("I like cake", session="erased", key="erased")
    erasure = memory.forget(user="nora", session="erased", rewrite=False, tenant=THEIRS)
    fact = next(one for one in theirs.facts() if planting.TOWN in one.text)
    strategy = theirs.strategies.learn_strategy(TASK, TASK, [TASK], "s-two", True)
    letters = memory.operator(tenant=THEIRS).dead_letters()
    return Asked(
        memory, mine, file, fact.id, theirs.recent(1)[0].id, theirs.goals.list()[0].goal_id, strategy,
        theirs.graph.find(planting.TOWN)[0].id, theirs.consensus.topic_hash(f"moving to {planting.TOWN}"),
        theirs.deltas()[0].run, theirs.hold(f"about {planting.TOWN}"), letters[0].letter, erasure,
        theirs.recall(planting.TOWN)[0],
    )  # fmt: skip


def said(call: Call, a: Asked) -> str:
    """Return everything that a verb returned, or the error that it raised."""
    try:
        return to_json(call(a), fallback=repr).decode()
    except SlowwaveError as error:
        return f"{error} {error.hint}"


def leaks(a: Asked, calls: Mapping[str, Call]) -> list[str]:
    """Return the verbs that told words of the other tenant."""
    told = {name: said(call, a).casefold() for name, call in calls.items()}
    return [name for name, text in told.items() if any(word.casefold() in text for word in WORDS)]


def rows(admin: psycopg.Connection) -> dict[str, int]:
    """Return the number of rows of the other tenant in each table."""
    return {
        table: admin.execute(f"SELECT count(*) FROM {table} WHERE tenant = %s".encode(), (THEIRS,)).fetchall()[0][0]
        for table in tables(admin)
    }


def verbs() -> set[str]:
    """Return the verbs of every face of the public API."""
    assert faces
    return {
        f"{face.__name__}.{name}"
        for face in TWINS
        for name, verb in inspect.getmembers(face, inspect.isroutine)
        if not name.startswith("_")
    }


__all__ = ["small"]


def test_each_verb_is_called_in_another_tenant_or_says_why_not() -> None:
    assert verbs() - BESIDE.keys() == set(CALLS)


def test_no_verb_tells_or_changes_what_another_tenant_remembers(
    talkative: Memory, both: tuple[MemoryScope, MemoryScope], superuser: psycopg.Connection, tmp_path: Path
) -> None:  # fmt: skip
    a = asked(talkative, *both, tmp_path / "export.jsonl")
    talkative.drain()
    parts_of(talkative).tally.flush()
    before, digest = rows(superuser), talkative.digest(tenant=THEIRS)

    assert leaks(a, CALLS) == []

    after = rows(superuser)
    assert {table: (count, after[table]) for table, count in before.items() if after[table] != count} == {}
    assert talkative.digest(tenant=THEIRS) == digest
    assert both[1].working("s-one").get("secret") == WORDS[0]
    assert leaks(a, {"planted": lambda _: both[1].facts()}) == ["planted"]


def test_no_job_gives_a_tenant_the_words_of_another(
    talkative: Memory, both: tuple[MemoryScope, MemoryScope], moved: Memory, superuser: psycopg.Connection,
    owner_url: str,
) -> None:  # fmt: skip
    parts = parts_of(moved)
    for scope, town in zip(both, (OURS["TOWN"], planting.TOWN), strict=True):
        bury(talkative, scope, town)
    wiring.register(parts)
    for scope, pet in zip(both, (OURS["PET"], planting.PET), strict=True):
        assert moved.reembed(tenant=scope.scope.tenant) > 0
        there = MemoryScope(parts, scope.scope)
        there.push_many(f"likes {pet}{number}" for number in range(4))
    move_clock(owner_url, timedelta(days=40))
    for _ in range(2):  # a job requests others
        for job, kind in JOBS.items():
            if kind.triggers:
                parts.schedule.fire_job(job, pack_of(job), by="test")
        moved.drain()

    for tenant, words in ((MINE, WORDS), (THEIRS, tuple(OURS.values()))):
        assert found(superuser, words, tenant=tenant) == {}, tenant
        asked_for = "SELECT DISTINCT job FROM runs WHERE tenant = %s AND outcome = 'ok'"
        ran = {job for (job,) in superuser.execute(asked_for, (tenant,))}
        due = {job for job, kind in JOBS.items() if kind.works != "installation"}
        assert due - ran == set(), tenant
    assert found(superuser, WORDS, tenant=THEIRS).keys() > {"episodes", "facts"}
