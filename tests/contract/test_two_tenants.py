"""Two tenants with the same names: no verb and no job gives one tenant the words of the other, or changes the other."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from string import Template
from typing import Any

import psycopg
import pytest
from psycopg import sql
from pydantic import SecretStr
from pydantic_core import to_json

from slowwave import wiring
from slowwave.domain.claim import Claim
from slowwave.domain.dead_letter import Refused
from slowwave.domain.job_table import JOBS, pack_of
from slowwave.errors import Incorrect, SlowwaveError
from slowwave.inference.static_embedder import StaticEmbedder
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.asynchronous import faces
from slowwave.memory.asynchronous.twin import TWINS
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.store import reencryption
from slowwave.store.encryption import tenant_keys
from slowwave.store.encryption.cipher import new_master_key
from slowwave.testing import move_clock
from tests.contract.erasure import planting
from tests.contract.erasure.planting import WORDS, found, live
from tests.contract.model_calls.scripted_models import TALK, Talk
from tests.contract.replay.packs import VERSIONS, deaf, declare, everything
from tests.contract.summaries.harness import Model, anything, small, telling
from tests.endpoint import serving
from tests.integration.store.rows import tables
from tests.unit.tables import table

MINE, THEIRS = "mine", "theirs"
OURS = {"TOWN": "Brelvermoor", "SPORT": "klopfschwung", "PET": "Mirrelpuff", "TASK": "drosculation"}
"""The words of the tenant that asks; the other tenant says those of `planting`."""
SAID = (OURS, {name: getattr(planting, name) for name in OURS})
"""The words of each tenant."""
FILE = Path("export.jsonl")
BESIDE = {
    **dict.fromkeys(("Memory.check", "Memory.drain"), "covers all tenants"),
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


@dataclass(frozen=True)
class Asked:
    """The memory and scope of the caller, and what the names of `two_tenants.yaml` stand for."""

    m: Memory
    s: MemoryScope
    had: Mapping[str, Any]

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
            return self.had[name] if given[:1] == "$" and name in self.had else Template(given).substitute(self.had)
        if isinstance(given, list):
            return [self.meant(one) for one in given]
        return {key: self.meant(one) for key, one in given.items()} if isinstance(given, dict) else given


def call(a: Asked, face: str, verb: str, given: Any) -> object:
    """Call a verb with the arguments of the table."""
    method, meant = getattr(a.faces()[face], verb), a.meant(given)
    return method(**meant) if isinstance(given, dict) else method(*meant)


Call = Callable[[Asked], Any]
TABLE = table(__file__)


def calls(part: str) -> dict[str, Call]:
    """Return the calls of a part of the table, by verb."""
    return {
        f"{face}.{verb}": partial(call, face=face, verb=verb, given=given)
        for face, asked in TABLE[part].items() for verb, given in asked.items()
    }  # fmt: skip


CALLS: dict[str, Call] = {
    "MemoryScope.context": lambda a: a.s.context("Where does nora live?", session="s-one").as_text(),
    "MemoryScope.deltas": lambda a: [*a.s.deltas(run=a.had["run"]), *a.s.deltas()],
    "MemoryScope.hold": lambda a: a.m.scope("Wossname", agent="helper", tenant=MINE).hold("a lawsuit"),
    "MemoryScope.in_channel": lambda a: a.s.in_channel("trip").facts(),
    "MemoryScope.outlook": lambda a: a.s.outlook(a.s.facts()),
    "MemoryScope.quietly": lambda a: a.s.quietly().recent(),
    "MemoryScope.working": lambda a: a.s.working("s-two").get_context(),
    "Memory.deltas": lambda a: [*a.m.deltas(run=a.had["run"], tenant=MINE), *a.m.deltas(tenant=MINE)],
    "Memory.export": lambda a: (a.m.export(FILE, tenant=MINE), FILE.read_text()),
    "Memory.scope": lambda a: a.m.scope("nora", tenant=MINE).facts(),
    **calls("calls"),
}
REFUSED = {verb: error for error, verbs in TABLE["refused"].items() for verb in verbs}
"""The errors of the verbs that take nothing of another tenant."""
NAMING = {
    f"{face}.{verb}" for face, asked in TABLE["calls"].items() for verb, given in asked.items() if "$" in str(given)
} | {"Memory.deltas", "MemoryScope.deltas"}
"""The verbs that take what a tenant has. They are asked for the other tenant's, and for the caller's own."""


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


def decide_a_canary(memory: Memory, both: tuple[MemoryScope, MemoryScope]) -> None:
    """Promote a canary that misses the towns, and roll it back; each tenant is told of its own town."""
    declare(parts_of(memory), deaf(*(words["TOWN"] for words in SAID)), version=next(VERSIONS))
    before = [{one.text for one in scope.facts()} for scope in both]
    for name, decide in calls("canaries").items():
        done = decide(Asked(memory, both[0], {}))
        for tenant, own, other in ((MINE, *SAID), (THEIRS, *reversed(SAID))):
            text = to_json(done.replays[tenant], fallback=repr).decode()
            assert (own["TOWN"] in text, [word for word in other.values() if word in text]) == (True, []), name
    assert [{one.text for one in scope.facts()} for scope in both] == before


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


def had(memory: Memory, scope: MemoryScope, said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the words, ids and numbers of a tenant, by the names of `two_tenants.yaml`."""
    tenant, town = scope.scope.tenant, said["TOWN"]
    scope.push("I like cake", session="erased", key="erased")
    erasure = memory.forget(user="nora", session="erased", rewrite=False, tenant=tenant)
    for number, (liked, disliked) in enumerate([("jazz", "techno"), ("chess", "golf")]):
        scope.push(f"I love {liked} and I hate {disliked}", session=f"r{number}", key=f"r{number}")
        scope.push(f"No, I meant {said['SPORT']}", session=f"r{number}", key=f"s{number}")
    scope.consolidate()
    parts_of(memory).inbox.bury([Refused({"content": f"I like {town}"}, "malformed", "no role")], scope=scope.scope)
    (first, second, *_), letters = scope.review(), memory.operator(tenant=tenant).dead_letters()
    facts = {one.text: one.id for one in scope.facts() if one.scope == scope.scope}
    return {
        **said, "tenant": tenant, "vector": parts_of(memory).embedder.embed([town])[0].tolist(), "erasure": erasure,
        "fact": facts[f"nora lives in {town}"], "wrong": facts[f"nora works at {town}"],
        "undone": facts[f"nora likes {said['PET']}"], "forgotten": facts[f"nora has a cat called {said['PET']}"],
        "sport": facts[f"Nora started {said['SPORT']} in spring 2026"],
        "task": facts[f"{said['TASK']}-search last succeeded"],
        "run": scope.deltas()[0].run, "episode": scope.recent(1)[0].id, "recollection": scope.recall(town)[0],
        "entity": scope.graph.find(town)[0].id, "goal": scope.goals.list()[0].goal_id,
        "strategy": scope.strategies.learn_strategy(said["TASK"], said["TASK"], [said["TASK"]], "s-two", True),
        "consensus": scope.consensus.topic_hash(f"moving to {town}"), "letter": letters[0].letter,
        "readable": letters[-1].letter, "review": first.number, "other_review": second.number,
        "hold": memory.scope("Wossname", agent="helper", tenant=tenant).hold(f"about {town}"),
    }  # fmt: skip


def told(call: Call, a: Asked, refused: str | None) -> str:
    """Return all that a verb returned, or the error that the table expects of it. Any other error is raised."""
    try:
        answer = call(a)
    except SlowwaveError as error:
        if type(error).__name__ != refused:
            raise
        return f"{error} {error.hint}"
    assert refused is None, f"raised no {refused}"
    return to_json(answer, fallback=repr).decode()


def wrong(a: Asked, calls: Mapping[str, Call], refused: Mapping[str, str]) -> list[str]:
    """Return the verbs that told words of the other tenant, failed, or refused nothing; say how."""
    problems = []
    for name, call in calls.items():
        try:
            text = told(call, a, refused.get(name)).casefold()
        except (SlowwaveError, AssertionError) as error:
            problems.append(f"{name}: {error!r}")
        else:
            problems += [f"{name} told {word}" for word in WORDS if word.casefold() in text]
    return problems


def rows(admin: psycopg.Connection) -> dict[str, str]:
    """Return a digest of the rows of the other tenant in each table."""
    every = sql.SQL(" UNION ALL ").join(
        sql.SQL(
            "SELECT {}, count(*) || ' ' || md5(string_agg(one::text, ' ' ORDER BY one::text)) FROM {} AS one "
            "WHERE tenant = %(tenant)s"
        ).format(table, sql.Identifier(table))
        for table in tables(admin)
    )
    return dict(admin.execute(every, {"tenant": THEIRS}).fetchall())


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
    assert verbs() - BESIDE.keys() == {*CALLS, *calls("encrypted"), *calls("canaries")}


def test_no_verb_tells_or_changes_what_another_tenant_remembers(
    talkative: Memory, both: tuple[MemoryScope, MemoryScope], superuser: psycopg.Connection, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    ours, others = (had(talkative, scope, words) for scope, words in zip(both, SAID, strict=True))
    a = Asked(talkative, both[0], ours)
    talkative.drain()
    parts_of(talkative).tally.flush()
    before, digest = rows(superuser), talkative.digest(tenant=THEIRS)

    naming = {name: call for name, call in CALLS.items() if name in NAMING}
    assert wrong(replace(a, had=others), naming, REFUSED) == []
    assert wrong(a, CALLS, {}) == []

    assert {table for table, one in rows(superuser).items() if one != before[table]} == set()
    assert talkative.digest(tenant=THEIRS) == digest
    assert both[1].working("s-one").get("secret") == WORDS[0]
    assert wrong(a, {"planted": lambda _: both[1].facts()}, {}) == [f"planted told {word}" for word in WORDS]


def test_no_verb_of_encryption_tells_or_changes_the_words_and_keys_of_another_tenant(
    settings: Settings, statement_parts: dict[str, object], small: Model, cache_url: str,
    superuser: psycopg.Connection, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    for name in ("WAIT_SECONDS", "REFRESH_SECONDS", "CHECK_SECONDS"):  # processes use a new data key at once
        monkeypatch.setattr(tenant_keys, name, 0.0)
    monkeypatch.setattr(reencryption, "GRACE_SECONDS", 0.0)
    secrets = {"cache_url": SecretStr(cache_url), "encryption_keys": SecretStr(new_master_key())}
    with telling(settings, statement_parts, small, **secrets) as parts:
        memory = Memory(parts)
        mine, theirs = (memory.scope("nora", agent="helper", tenant=tenant) for tenant in (MINE, THEIRS))
        for scope, words in zip((mine, theirs), SAID, strict=True):
            scope.push_many(f"I like {word}" for word in words.values())
            scope.consolidate()
            scope.push(f"I live in {words['TOWN']}")
        a, before = Asked(memory, mine, {"tenant": THEIRS}), rows(superuser)

        assert wrong(a, calls("encrypted"), REFUSED) == []
        assert wrong(replace(a, had={"tenant": MINE}), calls("encrypted"), {}) == []

        assert {table for table, one in rows(superuser).items() if one != before[table]} == set()
        assert {word for word in WORDS if any(word in one.text for one in theirs.facts())} == {*WORDS}
        assert mine.facts() == []


def test_no_job_and_no_canary_gives_a_tenant_the_words_of_another(
    talkative: Memory, both: tuple[MemoryScope, MemoryScope], moved: Memory, superuser: psycopg.Connection,
    owner_url: str,
) -> None:  # fmt: skip
    decide_a_canary(talkative, both)
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
