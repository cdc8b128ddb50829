"""Two tenants with the same names: no verb and no job gives one tenant the words of the other, or changes the other."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from string import Template
from typing import Any

import psycopg
import pytest
import redis
from psycopg import sql
from pydantic import SecretStr
from pydantic_core import to_json

from slowwave import wiring
from slowwave.domain.canary import DecidedCanary
from slowwave.domain.claim import Claim
from slowwave.domain.dead_letter import Refused
from slowwave.domain.job_table import JOBS, SUMMARISE, pack_of
from slowwave.errors import Incorrect, SlowwaveError
from slowwave.inference.static_embedder import StaticEmbedder
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.asynchronous import faces
from slowwave.memory.asynchronous.twin import TWINS
from slowwave.memory.counted_recall import write_accesses
from slowwave.memory.operations import Operator
from slowwave.memory.verb_group import parts_of
from slowwave.memory.working_memory import WorkingMemory
from slowwave.rules.languages import available
from slowwave.settings import Settings
from slowwave.store import write_behind
from slowwave.store.encryption.cipher import new_master_key
from slowwave.testing import move_clock
from tests.contract.encryption.conftest import _used_at_once
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
THEIR_WORDS = dict(zip(OURS, WORDS, strict=True))
TABLE: Mapping[str, Mapping[str, Mapping[str, Any]]] = table(__file__)
BESIDE = {
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
READ: Mapping[type, Callable[[Any], object]] = {
    MemoryScope: MemoryScope.facts, Operator: Operator.overview, WorkingMemory: WorkingMemory.get_context,
    DecidedCanary: lambda decided: decided.replays[MINE],
}  # fmt: skip
"""How the test reads a result that does not show its words, or shows those of all tenants."""
Given = Callable[[str], Any]
"""Returns what a name in the table stands for."""


def had(m: Memory, s: MemoryScope, file: Path) -> Given:
    """Return a function that finds what the tenant of a scope has now, by the names in the table."""
    tenant, operator, embedder = s.scope.tenant, m.operator(tenant=s.scope.tenant), parts_of(m).embedder
    said = OURS if tenant == MINE else THEIR_WORDS
    town = said["TOWN"]
    found: Mapping[str, Callable[[], Any]] = {
        "fact": lambda: next(one for one in s.facts() if town in one.text).id,
        "facts": s.facts,
        "episode": lambda: s.recent(1, sessions=["s-one"])[0].id,
        "goal": lambda: s.goals.list()[0].goal_id,
        "strategy": lambda: s.strategies.all()[0].id,
        "entity": lambda: s.graph.find(town)[0].id,
        "node": lambda: s.tree.nodes()[0].id,
        "consensus": lambda: s.consensus.topic_hash(f"moving to {town}"),
        "run": lambda: s.deltas()[0].run,
        "delta": lambda: s.deltas()[-1].id,
        "hold": lambda: m.holds(tenant=tenant)[0].hold,
        "letter": lambda: operator.dead_letters(reviews=False)[0].letter,
        "readable_letter": lambda: operator.dead_letters(reviews=False)[-1].letter,
        "review": lambda: s.review()[0].number,
        "replaced": lambda: s.review()[0].among[0],
        "erasure": lambda: m.erasures(tenant=tenant)[0],
        "recollection": lambda: s.recall(town)[0],
        "vector": lambda: embedder.embed([town])[0].tolist(),
    }
    same = {"mine": MINE, "theirs": THEIRS, "file": file, **said}
    return lambda name: same[name] if name in same else found[name]()


def meant(argument: Any, given: Given) -> Any:
    """Return an argument of the table with the values that its names stand for."""
    if isinstance(argument, str):
        names = Template(argument).get_identifiers()
        if argument == f"${''.join(names)}":
            return given(*names)
        return Template(argument).substitute({name: given(name) for name in names})
    if isinstance(argument, list):
        return [meant(one, given) for one in argument]
    return {key: meant(one, given) for key, one in argument.items()} if isinstance(argument, dict) else argument


def call(m: Memory, s: MemoryScope, face: str, verb: str, arguments: Any) -> tuple[str, str]:
    """Call a verb; return the class of its error, or "", and everything that it returned or that its error says."""
    notebooks = (s.consensus, s.continuum, s.goals, s.graph, s.stream, s.strategies, s.tools, s.tree)
    of_the_tenant = (m.canaries, m.encryption, m.quotas, m.operator(tenant=s.scope.tenant))
    faces = {type(one).__name__: one for one in (m, s, *of_the_tenant, *notebooks, s.working("s-one"))}
    method = getattr(faces[face], verb)
    try:
        result = method(**arguments) if isinstance(arguments, dict) else method(*arguments)
        read = READ.get(type(result))
        return "", to_json(read(result) if read else result, fallback=repr).decode()
    except SlowwaveError as error:
        return type(error).__name__, f"{error} {error.hint}"


def wrong(part: str, m: Memory, s: MemoryScope, given: Given) -> list[str]:
    """Make the calls of a part of the table; return what is wrong with them.

    A call is wrong if it raises another error than the table says, finds nothing, or tells words of the other tenant.
    """
    found = []
    theirs = WORDS if s.scope.tenant == MINE else OURS.values()
    for face, verbs in TABLE[part].items():
        for verb, row in verbs.items():
            for expected, arguments in row.items() if part == "other" else [("", row)]:
                raised, told = call(m, s, face, verb, meant(arguments, given))
                empty = part == "own" and told in {"[]", "{}", '""'} and (verb != "unread" or available())
                if raised != expected or empty or any(word.casefold() in told.casefold() for word in theirs):
                    found.append(f"{face}.{verb} of {part}: {raised or 'returned'} {told}")
    return found


@pytest.fixture
def talkative(
    settings: Settings,
    statement_parts: dict[str, object],
    cache_url: str,
    small: Model,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Memory]:
    """A memory as of the other suites, with a model. It writes accesses only when a verb or the test asks for it."""
    monkeypatch.setattr(write_behind, "LATER_SECONDS", 3600.0)
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
    declare(parts, deaf("Seat"), version=next(VERSIONS))
    theirs = live(talkative, "nora", tenant=THEIRS)
    with monkeypatch.context() as other:
        for name, word in OURS.items():
            other.setattr(planting, name, word)
        mine = live(talkative, "nora", tenant=MINE)
    yield mine, theirs
    declare(parts)


def plant(memory: Memory, scopes: Sequence[MemoryScope], file: Path) -> None:
    """Let both tenants have what `live` leaves out: summaries, reviews, unread turns, waiting turns and others."""
    parts = parts_of(memory)
    parts.schedule.fire_manually(by="test", scopes=[one.scope.id for one in scopes], pack=pack_of(SUMMARISE))
    memory.drain()
    for scope in scopes:
        given = had(memory, scope, file)
        letter = Refused({"content": given("PET"), "key": "letter"}, "malformed", "no role")
        parts.inbox.bury([letter], scope=scope.scope)
        for key in "123":  # a path needs three successes
            scope.strategies.learn_strategy("", "a", [given("TASK"), given("SPORT")], "s-two", True, key=key)
        assert wrong("planted", memory, scope, given) == []
    memory.scope("Wossname", agent="helper", tenant=THEIRS).hold(f"about {planting.TOWN}")


def changed(memory: Memory, admin: psycopg.Connection, cache_url: str, before: dict[str, object]) -> dict[str, object]:
    """Return the tables and cache entries of the other tenant that differ from *before*, which becomes what they are.

    A table counts its rows and has their digest.
    """
    write_accesses(parts_of(memory))
    parts_of(memory).tally.flush()
    each = sql.SQL(
        "SELECT {}, count(*), md5(string_agg(one::text, '' ORDER BY one::text)) FROM {} AS one WHERE tenant = {}"
    )
    every = sql.SQL(" UNION ALL ").join(each.format(name, sql.Identifier(name), THEIRS) for name in tables(admin))
    with redis.Redis.from_url(cache_url) as cache:
        entries = {key.decode(): cache.dump(key) for key in cache.scan_iter(f"{THEIRS}:*")}
    after = entries | {name: (count, digest) for name, count, digest in admin.execute(every)}
    past = dict(before)
    before.clear()
    before.update(after)
    return {name: (past.get(name), after.get(name)) for name in past | after if past.get(name) != after.get(name)}


def named(part: str) -> set[str]:
    """Return the verbs of a part of the table."""
    return {f"{face}.{verb}" for face, verbs in TABLE[part].items() for verb in verbs}


def verbs() -> dict[str, Any]:
    """Return the verbs of every face of the public API, by name."""
    assert faces
    return {
        f"{face.__name__}.{name}": verb
        for face in TWINS
        for name, verb in inspect.getmembers(face, inspect.isroutine)
        if not name.startswith("_")
    }


__all__ = ["_used_at_once", "small"]


def test_each_verb_is_called_in_another_tenant_or_says_why_not() -> None:
    called = named("own") | named("everyone") | named("last")
    assert verbs().keys() - BESIDE.keys() == called
    by_type = {
        name for name, verb in verbs().items()
        if any("UUID" in str(one) for one in inspect.signature(verb).parameters.values())
    }  # fmt: skip
    own = {
        f"{face}.{verb}": set(Template(str(row)).get_identifiers())
        for face, rows in TABLE["own"].items() for verb, row in rows.items()
    }  # fmt: skip
    by_name = {name for name, names in own.items() if names - {"mine", "file"}}
    assert (by_type | by_name) - BESIDE.keys() - named("other") == set()


def test_no_verb_tells_or_changes_what_another_tenant_remembers(
    talkative: Memory, both: tuple[MemoryScope, MemoryScope], statement_parts: dict[str, object],
    small: Model, superuser: psycopg.Connection, cache_url: str, tmp_path: Path,
) -> None:  # fmt: skip
    mine, theirs = both
    file = tmp_path / "export.jsonl"
    plant(talkative, both, file)
    names = Template(to_json(TABLE["other"]).decode()).get_identifiers()
    given, foreign = had(talkative, mine, file), {name: had(talkative, theirs, file)(name) for name in names}
    before: dict[str, object] = {}
    changes = partial(changed, talkative, superuser, cache_url, before)
    changes()
    assert found(superuser, WORDS, tenant=THEIRS).keys() > {"episodes", "facts", "goals"}

    assert wrong("own", talkative, mine, given) == []
    assert changes() == {}
    assert found(superuser, WORDS, tenant=MINE) == {}
    assert not any(word in file.read_text() for word in WORDS)
    assert wrong("other", talkative, mine, foreign.__getitem__) == []
    assert changes() == {}
    asked = {"audit_log": {"query_text"}}
    assert found(superuser, WORDS, tenant=MINE) == asked
    assert wrong("everyone", talkative, mine, given) == []
    assert found(superuser, WORDS, tenant=MINE) == asked
    assert found(superuser, OURS.values(), tenant=THEIRS) == {}
    changes()
    settings, keys = parts_of(talkative).settings, SecretStr(new_master_key())
    with telling(settings, statement_parts, small, encryption_keys=keys) as encrypting:
        assert wrong("last", Memory(encrypting), MemoryScope(encrypting, mine.scope), given) == []
    assert changes() == {}


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
