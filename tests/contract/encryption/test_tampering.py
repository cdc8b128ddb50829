"""The check reports encrypted words that were changed, and goes on to the other ledgers."""

import psycopg
import pytest

from tests.contract.encryption.conftest import Opened


@pytest.mark.parametrize(
    ("table", "column", "invariant", "said"),
    [
        ("episodes", "content", "episode-changed", "the encrypted words of the next episode after position 1"),
        ("facts", "text", "seal-broken", "An encrypted text was changed"),
    ],
)
def test_the_check_reports_a_changed_ciphertext(
    opened: Opened, master: str, superuser: psycopg.Connection, table: str, column: str, invariant: str, said: str
) -> None:
    memory = opened(master)
    for user in ("ann", "bea"):
        memory.scope(user, agent="helper").push("I live in Lima.")
        memory.scope(user, agent="helper").push("I have a cat called Tiny.")
        memory.scope(user, agent="helper").consolidate()
    assert memory.check(rebuild=True) == []

    superuser.execute(
        f"UPDATE {table} SET {column} = overlay({column} PLACING 'C' || translate(substr({column}, 41, 1), 'AB', 'BA') "
        f"FROM 41 FOR 2) WHERE position = 2".encode()
    )

    found = [one for one in memory.check(rebuild=True) if one.invariant == invariant]
    assert len({one.scope for one in found}) == 2
    assert all(said in one.subject for one in found)


def test_the_check_compares_encrypted_episodes_with_their_digests(
    opened: Opened, master: str, superuser: psycopg.Connection
) -> None:
    memory = opened(master)
    memory.scope("ann", agent="helper").push("I live in Lima.", metadata={"said": "aloud", "words": ["a", "b"]})
    memory.scope("ann", agent="helper").push("I live in Oslo.")
    assert memory.check(rebuild=True) == []

    superuser.execute(
        "UPDATE episodes SET content = (SELECT content FROM episodes WHERE position = 2) WHERE position = 1"
    )

    assert [one.invariant for one in memory.check(rebuild=True)] == ["episode-changed"]
