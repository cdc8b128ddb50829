"""The files of Postgres keep readable words until `slowwave encryption apply --rewrite`."""

from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr

from slowwave import wiring
from slowwave.errors import Incorrect
from slowwave.memory import Memory
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.wiring import open_parts
from tests.contract.encryption.test_encryption import encryption, tell, words
from tests.folders import open_folder

PLANTED = (b"I live in Lima", b"calm 0", b"moved to Quito")
"""Parts of sentences and of metadata; their single words stay readable, as terms and names."""


def holding(folder: Path) -> list[str]:
    """Return the files below *folder* that contain planted words."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if any(one in path.read_bytes() for one in PLANTED)]


def flushed(memory: Memory) -> None:
    """Write the column statistics, and flush the server's memory to its files."""
    services = parts_of(memory).services
    assert services is not None
    with psycopg.connect(services.postgres.url("postgres"), autocommit=True) as admin:
        admin.execute("ANALYZE")
        admin.execute("CHECKPOINT")


@pytest.mark.timeout(600)
def test_no_file_holds_readable_words_after_stored_words_are_encrypted_and_tables_rewritten(master: str) -> None:
    with open_folder("encrypted") as home:
        settings = Settings.load(home=home, audit="verbose", statements=False, outbox=None)
        with Memory(open_parts(settings, redis=False)) as memory:
            tell(memory)
        encrypting = settings.model_copy(update={"encryption_keys": SecretStr(master)})
        with Memory(open_parts(encrypting, redis=False)) as memory:
            before = words(memory)
            encryption(memory).encrypt_stored()
            flushed(memory)
            assert encryption(memory).status() == []
            assert holding(home) != [], "dead rows, statistics and the write-ahead log"

            assert encryption(memory).encrypt_stored(rewrite=True).rewritten

            flushed(memory)
            assert holding(home) == []
            assert words(memory) == before
            services = parts_of(memory).services
        assert services is not None
        services.stop()


def test_rewriting_a_server_of_your_own_needs_the_url_of_its_owner(settings: Settings, master: str) -> None:
    changed = {"owner_url": None, "encryption_keys": SecretStr(master)}

    with (
        Memory(wiring.connect(settings.model_copy(update=changed))) as memory,
        pytest.raises(Incorrect, match="cannot be rewritten"),
    ):
        encryption(memory).encrypt_stored(rewrite=True)
