"""With SLOWWAVE_ID_KEY, nobody can compute an id or a digest in the database from names and words alone."""

import base64
import hmac
import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr

from slowwave import QueueClient, wiring
from slowwave.core.graph.edges import entity_id
from slowwave.domain import scope as scopes
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.embedded_services import PostgresServer
from slowwave.errors import Incorrect, Unprepared
from slowwave.memory import Memory
from slowwave.memory.import_export.file_format import exported_id
from slowwave.memory.import_export.verifying import verify_export
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.store.import_export.exported_rows import _OTHERS
from tests.contract.erasure.planting import TOWN, found, live, told
from tests.databases import copied

KEY, OTHER = (base64.b64encode(letter * 32).decode() for letter in (b"k", b"o"))
NORA = Scope("default", "Plumkin", "helper", "trip")
MOVED = Episode(content="I moved to Oslo.", key="moved", session="s1")

Opened = Callable[..., Memory]


@contextmanager
def another_process() -> Iterator[None]:
    """Make ids like a process that has made none yet."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(scopes, "_ids", scopes._Namespace())
        yield


@pytest.fixture
def opened(settings: Settings, heavy_parts: dict[str, object], cache_url: str) -> Iterator[Opened]:
    """A function that opens a memory with a key of ids, or without; it registers its packs unless told otherwise."""
    memories = []

    def connect(key: str | None, *, url: str | None = None, register: bool = True) -> Memory:
        changed: dict[str, object] = {
            "cache_url": SecretStr(cache_url), "audit": "verbose", "id_key": None if key is None else SecretStr(key),
        }  # fmt: skip
        parts = wiring.connect(settings.model_copy(update=changed | ({"url": SecretStr(url)} if url else {})))
        vars(parts).update(heavy_parts)
        memories.append(Memory(parts))
        if register:
            wiring.register(parts)
        return memories[-1]

    yield connect
    for memory in memories:
        memory.close()


@pytest.fixture
def other_url(postgres_server: PostgresServer, template: str) -> Iterator[str]:
    """The address of a second database."""
    with copied(postgres_server, template, "keyed") as name:
        yield postgres_server.url(database=name)


def pushed(memory: Memory) -> tuple[uuid.UUID | None, str]:
    """Push an episode; return its id, and whether the episode was known."""
    receipt = memory.scope("alice").push(MOVED)
    return receipt.id, "known" if receipt.repeated else receipt.state


def ids_with(key: str | None) -> tuple[uuid.UUID, uuid.UUID]:
    """Return the ids of a scope and an episode in a process with *key*."""
    with another_process():
        wiring.Parts(Settings.load(id_key=key), "postgresql://nobody@/nowhere")
        return NORA.id, NORA.episode_id("moved")


def test_ids_depend_on_the_key() -> None:
    plain, keyed, other = ids_with(None), ids_with(KEY), ids_with(OTHER)

    assert len({*plain, *keyed, *other}) == 6
    assert ids_with(KEY) == keyed
    assert plain == (uuid.UUID("b52752aa-0834-5a5a-8fa1-9298be4a4eb3"), uuid.uuid5(plain[0], "moved"))
    assert NORA.plain_id == plain[0]


@pytest.mark.parametrize(
    ("key", "problem"),
    [("no base64!", "is not base64"), ("c2hvcnQ=", "has 5 bytes, must have at least 32")],
)
def test_a_malformed_key_is_refused_without_quoting_it(key: str, problem: str) -> None:
    with another_process(), pytest.raises(Incorrect, match=problem) as caught:
        wiring.Parts(Settings.load(id_key=key), "postgresql://nobody@/nowhere")

    assert "SLOWWAVE_ID_KEY" in str(caught.value)
    assert key not in str(caught.value)


def test_the_client_makes_the_ids_of_the_memory(opened: Opened, tmp_path: Path) -> None:
    with another_process():
        expected, _ = pushed(opened(KEY))
    with another_process(), QueueClient("redis://127.0.0.1:1/0", outbox=tmp_path / "outbox", id_key=KEY) as client:
        receipt = client.scope("alice").push(MOVED)

    assert (receipt.id, receipt.state) == (expected, "spooled")


def test_a_process_has_one_namespace(opened: Opened, tmp_path: Path) -> None:
    with another_process():
        opened(KEY, register=False)
        opened(KEY, register=False)
        for other in (OTHER, None):
            with pytest.raises(Incorrect, match="already makes ids with another key"):
                opened(other, register=False)
    with another_process():
        _ = NORA.id
        with pytest.raises(Incorrect, match="already makes ids with another key"):
            QueueClient("redis://127.0.0.1:1/0", outbox=tmp_path / "outbox", id_key=KEY)


@pytest.mark.parametrize(
    ("first", "later", "problem", "hint"),
    [
        (KEY, OTHER, "were made with another key", "that the other processes have"),
        (KEY, None, "this process has none", "that the other processes have"),
        (None, KEY, "have no key", "`slowwave export`"),
    ],
)
@pytest.mark.parametrize("register", [True, False])
def test_another_key_is_refused(
    opened: Opened, first: str | None, later: str | None, problem: str, hint: str, *, register: bool
) -> None:
    with another_process():
        before = pushed(opened(first))

    with another_process():
        memory = opened(later, register=False)
        use = partial(wiring.register, parts_of(memory)) if register else memory.scope("alice").facts
        with pytest.raises(Unprepared, match=problem) as caught:
            use()

    assert hint in (caught.value.hint or "")
    with another_process():
        assert pushed(opened(first)) == (before[0], "known")


def test_a_process_that_began_before_the_key_was_registered_makes_no_plain_ids(opened: Opened) -> None:
    with another_process():
        early = opened(None)
        assert early.scope("alice").facts() == []
    with another_process():
        opened(KEY)

    with another_process(), pytest.raises(Unprepared, match="this process has none"):
        early.scope("alice").push(MOVED)


def guesses(superuser: psycopg.Connection) -> dict[str, list[str]]:
    """Return what a reader of the database can compute from names and words: ids, digests, and digests with the
    key of the tenant.
    """
    scope_ids = [Scope("default", NORA.user, NORA.agent, channel).plain_id for channel in ("trip", "_global")]
    episodes = told(NORA.user, "s")
    ids = [uuid.uuid5(scope, one.key) for scope in scope_ids for one in episodes]
    facts = [uuid.uuid5(one, f"{ordinal}/0") for one in ids for ordinal in range(3)]
    entities = [entity_id(scope, name) for scope in scope_ids for name in (TOWN, NORA.user)]
    lost = {"tenant": "default", "user": NORA.user, "session": "s-one", "said": TOWN}
    letters = [uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(lost, sort_keys=order)) for order in (True, False)]
    digests = [one.digest for one in episodes]
    (key,) = superuser.execute("SELECT fingerprint_key FROM tenants WHERE tenant = 'default'").fetchone() or (b"",)
    keyed = [hmac.digest(key, one, "sha256") for one in digests]
    return {
        "ids": [str(one) for one in (*scope_ids, *ids, *facts, *entities, *letters)],
        "digests": [one.hex() for one in digests],
        "with the tenant's key": [
            hmac.digest(key, one, "sha256").hex()[:32] for one in (*digests, *keyed, b"user " + NORA.user.encode())
        ],
    }


@pytest.mark.parametrize("key", [None, KEY])
def test_after_an_erasure_no_row_equals_what_names_and_words_yield(
    opened: Opened, superuser: psycopg.Connection, key: str | None
) -> None:
    with another_process():
        memory = opened(key)
        live(memory, NORA.user)
        memory.forget(user=NORA.user, rewrite=False)

    hits = {what: found(superuser, words) for what, words in guesses(superuser).items()}

    assert hits.pop("digests") == {}
    if key is None:
        assert hits["ids"].keys() >= {"scope_heads", "episode_keys", "deltas", "dead_letters"}, "the search finds ids"
        assert hits["with the tenant's key"].keys() >= {"scope_heads", "episode_keys"}
    else:
        assert hits == {"ids": {}, "with the tenant's key": {}}


@pytest.mark.parametrize("key", [None, KEY])
def test_a_push_stores_no_plain_digest_and_a_repeated_episode_matches_either_form(
    opened: Opened, superuser: psycopg.Connection, key: str | None
) -> None:
    with another_process():
        memory = opened(key)
        id_, state = pushed(memory)
        assert state == "stored"
        assert superuser.execute("SELECT 1 FROM episode_keys WHERE digest = %s", [MOVED.digest]).fetchone() is None
        assert pushed(memory) == (id_, "known")

        superuser.execute("UPDATE episode_keys SET digest = %s", [MOVED.digest])  # as before revision 0005
        assert pushed(memory) == (id_, "known")
        changed = Episode(content="I moved to Rome.", key="moved", session="s1")
        assert memory.scope("alice").push_many([changed])[0].error is not None


@pytest.mark.parametrize("plain", [True, False])
def test_an_erased_episode_is_recognised_from_either_form(
    opened: Opened, superuser: psycopg.Connection, *, plain: bool
) -> None:
    with another_process():
        memory = opened(KEY)
        id_, _ = pushed(memory)
        if plain:
            superuser.execute("UPDATE episode_keys SET digest = %s", [MOVED.digest])
        memory.forget(matching="Oslo", rewrite=False)

        assert pushed(memory) == (id_, "known")


@pytest.mark.parametrize(("here", "there"), [(None, KEY), (OTHER, KEY), (KEY, None), (KEY, KEY), (None, None)])
def test_an_import_into_an_installation_with_another_key_holds_the_same_beliefs(
    other_url: str, opened: Opened, tmp_path: Path, here: str | None, there: str | None
) -> None:
    file = tmp_path / "memories.jsonl"
    with another_process():
        memory = opened(here)
        before, _ = pushed(memory)
        memory.scope("alice").push("My sister lives in Bergen.", key="undated")
        memory.scope("alice").consolidate()
        memory.export(file)
        verify_export(file)
        facts = memory.scope("alice").facts()
        digest, texts = memory.digest(), [fact.text for fact in facts]
        assert len(texts) >= 2
    with another_process():
        memory = opened(there, url=other_url)
        memory.import_file(file)

        assert memory.digest() == digest
        assert [fact.text for fact in memory.scope("alice").facts()] == texts
        after, state = pushed(memory)
        assert (after == before, state) == (here == there, "known")
        assert memory.import_file(file).known == 1
        assert list(wiring.checks(parts_of(memory).database).findings(folds=None)) == []
        if there is not None and here != there:
            computed = [fact.id for fact in facts] + [uuid.uuid5(_OTHERS, f"default/{fact.id}") for fact in facts]
            assert not {*computed} & {fact.id for fact in memory.scope("alice").facts()}


def test_an_export_without_ids_of_scopes_was_made_without_a_key() -> None:
    with another_process():
        wiring.Parts(Settings.load(id_key=KEY), "postgresql://nobody@/nowhere")

        assert exported_id(NORA, {}) == NORA.plain_id
        assert exported_id(NORA, {"id": str(NORA.id)}) == NORA.id != NORA.plain_id
