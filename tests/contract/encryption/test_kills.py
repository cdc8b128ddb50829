"""kill -9 at every end of a transaction of `slowwave encryption apply` loses no word; a repeated call finishes."""

from collections.abc import Callable

import psycopg
import pytest

from slowwave import wiring
from slowwave.memory.operations import Encryption
from slowwave.store import reencryption
from slowwave.store.encryption import tenant_keys
from slowwave.store.encryption.cipher import MasterKeys
from tests.contract.encryption.conftest import Opened
from tests.contract.encryption.test_encryption import beliefs, plain_places, tell, words
from tests.contract.encryption.test_encryption import encryption as verbs
from tests.faults.rig.killed import dies

PLANTED = ("Lima", "Quito", "Bergen", "baker", "calm")


def at_once(parts: wiring.Parts, master: str) -> Encryption:
    """Return the verbs of a process that encrypts three rows per transaction and uses new keys at once."""
    parts.database.keys.masters = MasterKeys(master)  # before it opens a connection
    reencryption.AT_ONCE, reencryption.GRACE_SECONDS = 3, 0.0
    tenant_keys.WAIT_SECONDS = tenant_keys.REFRESH_SECONDS = 0.0
    return Encryption(parts)


def apply(parts: wiring.Parts, master: str) -> None:
    """Encrypt what is stored."""
    at_once(parts, master).encrypt_stored()


def rotate(parts: wiring.Parts, master: str) -> None:
    """Encrypt with a new data key what is stored."""
    encryption = at_once(parts, master)
    encryption.rotate()
    encryption.encrypt_stored()


@pytest.mark.accept
@pytest.mark.parametrize("work", [apply, rotate])
def test_a_killed_encryption_loses_no_word_and_a_repeated_one_finishes(
    work: Callable[[wiring.Parts, str], None], opened: Opened, master: str, url: str, superuser: psycopg.Connection
) -> None:
    first = opened(None if work is apply else master)
    tell(first)
    before = words(first), beliefs(first)
    first.close()

    kills = 0
    for ends in range(1, 400, 7):
        if not dies(work, url, ends, master):
            break
        kills += 1
        memory = opened(master)
        assert (words(memory), beliefs(memory)) == before, ends
        memory.close()

    memory = opened(master)
    assert kills > 2
    assert (words(memory), beliefs(memory)) == before
    assert plain_places(superuser, PLANTED) == {}
    assert verbs(memory).encrypt_stored().rows == {}
