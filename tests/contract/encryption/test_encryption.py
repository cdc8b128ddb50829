"""Words are encrypted at rest under a data key per tenant; the beliefs are the same as without encryption."""

from collections.abc import Collection, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from slowwave import wiring
from slowwave.domain.dead_letter import Refused
from slowwave.domain.limits import ENCRYPTION_MARK
from slowwave.domain.personal_data import TABLES
from slowwave.domain.scope import SYSTEM_TENANT
from slowwave.errors import Conflict, Incorrect, Unavailable, Unprepared
from slowwave.memory import Memory, due_work
from slowwave.memory.operations import Access, Encryption
from slowwave.memory.verb_group import parts_of
from slowwave.store import reencryption
from slowwave.store.beliefs.digest import digest
from slowwave.store.dead_letters import letters
from slowwave.store.encryption import tenant_keys
from slowwave.store.encryption.cipher import each_text, new_master_key, number_of
from slowwave.store.encryption.columns import ENCRYPTED
from slowwave.store.encryption.tenant_keys import DESTROYED
from tests.contract.encryption.conftest import Opened
from tests.contract.erasure.planting import MONDAY, WORDS, found, live

TURNS = (
    "My name is Ann and I live in Lima.", "I work as a baker.", "I moved to Quito.", "My sister Bea lives in Bergen.",
    "I no longer work as a baker.", "Actually I live in Cusco, not in Quito.", "I love chess.",
)  # fmt: skip

READABLE = {
    "names": "key session sessions speaker user_id session_id conversation_id source_channel target_channels "
    "promoted_from_channel channel agents by_whom name spelled subject bucket at_window first_user last_user about",
    "keys by which Postgres finds or compares rows": "predicate relation topic topic_hash task tool tools "
    "episode_keys.digest vector_blocks.codes sightings.sources model_requests.last",
    "the stems of a text without their order, by which Postgres searches": "terms word_blocks.words",
    "vectors, by which Postgres searches": "embedding",
    "texts of the installation, which belong to no tenant": "canaries.reason",
    "messages of Slowwave, which hold no words of a person by default": "runs.error model_rejected.reason "
    "model_requests.reason webhooks.trouble",
}
"""The columns that stay readable although they can hold words, by reason: each is `column` or `table.column`."""


def _stays_readable(table: str, column: str) -> bool:
    """Return whether a column that can hold words stays readable."""
    return any({column, f"{table}.{column}"} & set(names.split()) for names in READABLE.values())


def tell(memory: Memory, turns: Sequence[str] = TURNS, *, user: str = "ann") -> None:
    """Push what a user says, turn by turn, and consolidate the third turn and the last with those before them."""
    scope = memory.scope(user=user, agent="helper")
    for number, text in enumerate(turns):
        at, mood = MONDAY + timedelta(hours=number), {"mood": f"calm {number}"}
        scope.push(text, role="user", session="one", key=f"turn {number}", metadata=mood, occurred_at=at)
        if number in (2, len(turns) - 1):
            scope.consolidate()


def beliefs(memory: Memory) -> str:
    """Return the digest of all beliefs of the tenant."""
    with parts_of(memory).database.tenant("default") as connection:
        return digest(connection)


def words(memory: Memory) -> list[list[str]]:
    """Return the facts, the answers to a question, the episodes and the audited questions, as texts."""
    scope = memory.scope(user="ann", agent="helper")
    return [
        [one.text for one in scope.facts()],
        [one.text for one in scope.recall("where does Ann live?")],
        [one.content for one in scope.recent()],
    ]


def encryption(memory: Memory) -> Encryption:
    """Return the verbs of encryption."""
    return Encryption(parts_of(memory))


def texts_of(value: Any, plain: Collection[str]) -> list[str]:
    """Return the strings of a stored value that have to be encrypted, and are not."""
    texts: list[str] = []

    def noted(text: str) -> str:
        if number_of(text) is None:
            texts.append(text)
        return text

    each_text(value, noted, plain)
    return texts


def plain_places(superuser: psycopg.Connection, planted: Sequence[str]) -> dict[str, set[str]]:
    """Return the columns that hold planted words although they must not, by table."""
    places: dict[str, set[str]] = {}
    for table, columns in found(superuser, planted).items():
        listed = ENCRYPTED.get(table.partition("_20")[0], {})
        for column in columns:
            if (encrypted := listed.get(column)) is None:
                hidden = not _stays_readable(table.partition("_20")[0], column)
            else:
                rows = superuser.execute(f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL".encode())
                texts = [text for (value,) in rows for text in texts_of(value, encrypted.plain)]
                hidden = any(word.lower() in text.lower() for word in planted for text in texts)
            if hidden:
                places.setdefault(table, set()).add(column)
    return places


def test_each_column_with_words_is_encrypted_or_stays_readable_for_a_reason() -> None:
    for table, listed in TABLES.items():
        encrypted = ENCRYPTED.get(table, {})
        assert encrypted.keys() <= set(listed.words), table
        left = set(listed.words) - encrypted.keys()
        assert {column for column in left if not _stays_readable(table, column)} == set(), table


def test_planted_words_are_readable_only_in_columns_that_say_so(
    opened: Opened, master: str, superuser: psycopg.Connection
) -> None:
    live(opened(master), "Plumkin", session="tryst")

    assert found(superuser, WORDS)["entities"] >= {"name"}, "the search finds words"
    assert plain_places(superuser, WORDS) == {}


def test_a_life_without_encryption_leaves_words_that_the_search_finds(
    opened: Opened, superuser: psycopg.Connection
) -> None:
    live(opened(None), "Plumkin", session="tryst")

    assert plain_places(superuser, WORDS).keys() >= ENCRYPTED.keys() - {
        "episodes", "model_payloads", "model_rejected", "model_replies", "model_summaries", "tree_nodes", "legal_holds",
    }  # fmt: skip


def test_beliefs_and_answers_do_not_depend_on_encryption(opened: Opened, master: str, other_url: str) -> None:
    plain, encrypted = opened(None), opened(master, url=other_url)
    for memory in (plain, encrypted):
        tell(memory)

    assert words(encrypted) == words(plain)
    assert words(plain)[0], "there are facts"
    assert beliefs(encrypted) == beliefs(plain)


def test_a_process_without_the_keys_is_refused_at_once_and_an_open_one_at_its_next_check(
    opened: Opened, master: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tenant_keys, "CHECK_SECONDS", 3600.0)
    open_already = opened(None)
    assert open_already.scope(user="ann", agent="helper").facts() == []
    tell(opened(master), ["I live in Lima."])

    with pytest.raises(Unprepared, match="this process has no key"):
        opened(None).scope(user="ann", agent="helper").facts()

    monkeypatch.setattr(tenant_keys, "CHECK_SECONDS", 0.0)
    with pytest.raises(Unprepared, match="encrypted") as caught:
        open_already.scope(user="ann", agent="helper").facts()
    assert "SLOWWAVE_ENCRYPTION_KEYS" in str(caught.value)


def test_a_worker_without_the_keys_loses_no_work(opened: Opened, master: str) -> None:
    keyless, memory = opened(None), opened(master)
    scope = memory.scope(user="ann", agent="helper")
    scope.push("I live in Lima.", role="user", session="one")
    due_work.fire(parts_of(memory), scope.scope.id)

    with pytest.raises(Unavailable, match="still due"):
        keyless.drain(timeout=0.5)
    scope.consolidate()

    assert words(memory)[0] == ["The user lives in Lima"]
    with parts_of(memory).database.tenant("default") as connection:
        assert letters(connection, state=None) == []


def test_another_master_key_is_refused_until_the_old_one_stands_beside_it(opened: Opened, master: str) -> None:
    tell(opened(master), ["I live in Lima."])
    new = new_master_key()

    with pytest.raises(Unprepared, match="another master key"):
        opened(new).scope(user="ann", agent="helper").facts()
    both = opened(f"{new},{master}")
    assert words(both)[0] == ["The user lives in Lima"]
    assert encryption(both).encrypt_stored().wrapped == 2, "the keys of the tenant and of the installation"
    assert words(opened(new))[0] == ["The user lives in Lima"]


def test_malformed_keys_are_listed(opened: Opened) -> None:
    with pytest.raises(Incorrect) as caught:
        opened("%%%,aGVsbG8=").scope(user="ann", agent="helper").facts()
    assert str(caught.value).count("\n  - ") == 2


def test_encryption_of_an_existing_tenant_keeps_its_beliefs(
    opened: Opened, master: str, superuser: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reencryption, "AT_ONCE", 3)
    plain = opened(None)
    tell(plain)
    before = words(plain), beliefs(plain)
    plain.close()
    memory = opened(master)

    done = encryption(memory).encrypt_stored()

    assert done.rows["episodes"] == len(TURNS)
    assert (words(memory), beliefs(memory)) == before
    assert plain_places(superuser, ["Lima", "Quito", "Bergen", "baker", "calm"]) == {}
    assert encryption(memory).encrypt_stored().rows == {}, "a repeated call finds nothing to do"
    assert [str(one) for one in wiring.checks(parts_of(memory).database).findings(folds=None)] == []


def test_the_status_counts_readable_rows_and_rows_under_old_keys(opened: Opened, master: str) -> None:
    pytest.importorskip("fastapi", reason="the extra api is not installed")
    from slowwave.api.app import create_app
    from tests.integration.api.served import serving

    plain = opened(None)
    tell(plain)
    plain.close()
    memory = opened(master)
    tell(memory, ["I love tea."], user="bea")

    first = {one.table: (one.readable, one.older) for one in encryption(memory).status()}
    encrypted = encryption(memory).encrypt_stored().rows
    assert first["episodes"] == (len(TURNS), 0)
    assert {table: readable for table, (readable, _) in first.items()} == encrypted
    assert encryption(memory).status() == []

    _, secret = Access(parts_of(memory)).create("operator", ["operate"])
    with serving(create_app(memory)) as address, Memory.connect(address, key=secret) as remote:
        assert remote.encryption.rotate() == encryption(memory).listing()[-1]
        assert remote.encryption.listing() == encryption(memory).listing()
        second = {one.table: (one.readable, one.older) for one in remote.encryption.status()}
    assert second["episodes"] == (0, len(TURNS) + 1)
    assert {table: older for table, (_, older) in second.items()} == encryption(memory).encrypt_stored().rows
    assert encryption(memory).status() == []


@pytest.mark.parametrize("before", ["readable", "under the old key"])
def test_a_repeated_dead_letter_is_counted_before_and_after_stored_words_are_encrypted(
    before: str, opened: Opened, master: str
) -> None:
    refused = Refused({"user": "ann", "content": "Lima?", "tags": ["calm"]}, "malformed", "no role")
    memory = opened(master if before == "under the old key" else None)
    tell(memory, ["I live in Lima."])
    scope = memory.scope(user="ann", agent="helper").scope
    for whose in (scope, None):
        parts_of(memory).inbox.bury([refused], scope=whose)
    memory.close()
    memory = opened(master)
    encryption(memory).rotate()

    for whose in (scope, None):
        parts_of(memory).inbox.bury([refused, refused], scope=whose)
    encryption(memory).encrypt_stored()
    for whose in (scope, None):
        parts_of(memory).inbox.bury([refused], scope=whose)

    for tenant in ("default", SYSTEM_TENANT):
        with parts_of(memory).database.tenant(tenant) as connection:
            assert [one.seen for one in letters(connection, state="open")] == [4]


def test_dead_letters_of_the_installation_have_its_key_whoever_applies_encryption(
    opened: Opened, master: str, superuser: psycopg.Connection
) -> None:
    lost = {"user": "ann", "content": "Lima?"}
    plain = opened(None)
    tell(plain, ["I live in Lima."])
    parts_of(plain).inbox.bury([Refused(lost, "malformed", "no role")], scope=None)
    plain.close()

    for tenant in ("default", "acme"):
        memory = opened(master, tenant=tenant)
        encryption(memory).encrypt_stored()
        with parts_of(memory).database.tenant(SYSTEM_TENANT) as connection:
            assert connection.exec_driver_sql("SELECT item FROM dead_letters").scalars().all() == [lost]
    assert plain_places(superuser, ["Lima"]) == {}


def test_a_rotated_key_encrypts_all_words_again_and_the_old_key_is_deleted(
    opened: Opened, master: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, other = opened(master), opened(master)
    tell(memory)
    before = words(other), beliefs(memory)
    (old,) = encryption(memory).listing()

    new = encryption(memory).rotate()
    tell(other, ["I love tea."], user="bea")
    done = encryption(memory).encrypt_stored()

    assert done.rows["episodes"] == len(TURNS), "what the other process stored is under the new key already"
    assert (words(other), words(memory)) == (before[0], before[0])
    assert encryption(memory).encrypt_stored().deleted == [], "the new key is younger than two days"
    monkeypatch.setattr(reencryption, "RETIRE_SECONDS", 0.0)
    assert encryption(memory).encrypt_stored().deleted == [old.key]
    assert [one.key for one in encryption(other).listing()] == [new.key]
    assert words(opened(master))[0] == before[0][0]


def test_pages_and_undos_survive_a_new_key(opened: Opened, master: str) -> None:
    memory = opened(master)
    tell(memory, [f"I love {thing}." for thing in ("chess", "tea", "opera", "sailing", "maps", "jazz")])
    scope = memory.scope(user="ann", agent="helper")
    last = scope.facts()[-1].id
    undone = memory.undo(last, by="Anna", reason="a joke")
    whole = [one.id for one in scope.facts()]
    page = scope.facts(limit=2)

    encryption(memory).rotate()
    again = memory.undo(last, by="Anna", reason="a joke")
    encryption(memory).encrypt_stored()

    assert [one.id for one in [*page, *scope.facts(limit=9, after=page[-1].id)]] == whole
    assert again.id == undone.id


def test_a_message_that_looks_encrypted_blocks_no_dead_letter(opened: Opened, master: str) -> None:
    memory = opened(master)
    item = {"session": f"{ENCRYPTION_MARK}1:.QUFB", "content": f"{ENCRYPTION_MARK}1:.QUFB"}
    parts_of(memory).inbox.bury([Refused(item, "malformed", "no role")], scope=None)

    with parts_of(memory).database.tenant(SYSTEM_TENANT) as connection:
        (found,) = connection.exec_driver_sql("SELECT item FROM dead_letters").scalars()
    assert found == {name: text.removeprefix("\x01") for name, text in item.items()}
    encryption(memory).encrypt_stored()


def test_a_new_key_is_not_used_before_every_process_has_read_it(
    opened: Opened, master: str, monkeypatch: pytest.MonkeyPatch, superuser: psycopg.Connection
) -> None:
    memory = opened(master)
    tell(memory, ["I live in Lima."])
    monkeypatch.setattr("slowwave.store.encryption.tenant_keys.WAIT_SECONDS", 3600.0)

    new = encryption(memory).rotate()
    tell(memory, ["I love tea."], user="bea")

    assert not new.in_use
    with pytest.raises(Unavailable, match="not every process"):
        encryption(memory).encrypt_stored()
    stored = superuser.execute("SELECT content FROM episodes").fetchall()
    assert not any(f":{new.key}:" in content for (content,) in stored)


def test_a_tampered_text_is_reported(opened: Opened, master: str, superuser: psycopg.Connection) -> None:
    memory = opened(master)
    tell(memory, ["I live in Lima."])
    superuser.execute(
        "UPDATE facts SET text = overlay(text PLACING translate(substr(text, 41, 1), 'AB', 'BA') || 'C' FROM 41 FOR 2)"
    )

    with pytest.raises(Unprepared, match="was changed"):
        memory.scope(user="ann", agent="helper").facts()


def test_a_destroyed_tenant_has_no_words_or_keys(opened: Opened, master: str, superuser: psycopg.Connection) -> None:
    memory = opened(master)
    tell(memory)

    with pytest.raises(Incorrect, match="permanently"):
        encryption(memory).destroy()
    assert encryption(memory).destroy(confirm="default") == 1

    assert found(superuser, ["Lima", "Quito", "Bergen", "baker", "calm"]) == {}
    assert superuser.execute("SELECT count(*) FROM tenant_keys WHERE tenant = 'default'").fetchone() == (1,)
    tell(memory, ["I live in Oslo."], user="bea")
    assert [one.text for one in memory.scope(user="bea", agent="helper").facts()] == ["The user lives in Oslo"]


def test_a_text_under_a_deleted_key_says_so(opened: Opened, master: str, superuser: psycopg.Connection) -> None:
    memory = opened(master)
    tell(memory, ["I live in Lima."])
    superuser.execute("DELETE FROM tenant_keys")
    memory = opened(master)
    scope = memory.scope(user="ann", agent="helper")

    with pytest.raises(Unavailable):
        scope.facts()
    assert [one.text for one in scope.facts()] == [DESTROYED]


def test_texts_that_look_encrypted_are_refused_or_stay_as_they_are(opened: Opened, master: str) -> None:
    memory = opened(master)
    scope = memory.scope(user="ann", agent="helper")

    looks = f"{ENCRYPTION_MARK}1:.aaaa"
    with pytest.raises(Incorrect, match="mark of encrypted texts"):
        scope.push(looks, role="user")
    with pytest.raises(Incorrect, match="mark of encrypted texts"):
        scope.push("x", role="user", metadata={"tool": looks})
    scope.push(f"I said {ENCRYPTION_MARK}1:.aaaa once", role="user")
    assert [one.content for one in scope.recent()] == [f"I said {ENCRYPTION_MARK}1:.aaaa once"]


def test_a_tenant_under_a_legal_hold_is_not_destroyed(opened: Opened, master: str) -> None:
    memory = opened(master)
    tell(memory, ["I live in Lima."])
    memory.hold(None, "a court asked")

    with pytest.raises(Conflict, match="legal hold"):
        encryption(memory).destroy(confirm="default")
    assert words(memory)[0] == ["The user lives in Lima"]
    assert len(encryption(memory).listing()) == 1


@pytest.mark.parametrize("encrypts", [True, False])
def test_imported_words_are_stored_as_pushed_ones_and_found_by_words(
    encrypts: bool, opened: Opened, master: str, other_url: str, superuser: psycopg.Connection, tmp_path: Path
) -> None:
    source, target = opened(None, url=other_url), opened(master if encrypts else None)
    tell(source)
    file = tmp_path / "everything.jsonl"
    source.export(file)

    target.import_file(file)

    assert (plain_places(superuser, ["Lima", "Quito", "Bergen", "baker", "calm"]) == {}) == encrypts
    assert superuser.execute("SELECT count(*) FROM episodes WHERE terms = ''").fetchone() == (0,)
    assert superuser.execute("SELECT count(*) FROM facts WHERE terms = ''").fetchone() == (0,)
    assert (words(target)[0], words(target)[2]) == (words(source)[0], words(source)[2])
    assert words(target)[1][0] == words(source)[1][0], "the best answer, before vectors are made"


def test_a_statement_without_terms_gets_them(opened: Opened, superuser: psycopg.Connection) -> None:
    tell(opened(None), ["I live in Lima."])

    columns = "scope, tenant, received, id, key, occurred, session, role, kind, content"
    superuser.execute(f"INSERT INTO episodes (position, {columns}) SELECT 2, {columns} FROM episodes".encode())

    assert superuser.execute("SELECT count(DISTINCT terms), count(*) FROM episodes").fetchone() == (1, 2)
