"""Destroying a tenant's keys leaves no word of the tenant, also not in places that belong to no scope."""

import psycopg
import pytest
import redis

from slowwave.domain.dead_letter import Refused
from slowwave.memory import Memory
from slowwave.memory.operations import Encryption
from slowwave.memory.verb_group import parts_of
from slowwave.store.dead_letters import letters
from tests.contract.encryption.conftest import Opened
from tests.contract.erasure.planting import found

WORD, USER = "zwibberish", "Plumkin"


@pytest.fixture
def memory(opened: Opened, master: str) -> Memory:
    """A memory with a user, and with another user whose name lies outside of scopes."""
    memory = opened(master)
    memory.scope("ann", agent="helper").push("I live in Lima.", session="s")
    lost = [Refused({"tenant": tenant, "content": WORD}, "malformed", "no user") for tenant in ("default", "theirs")]
    parts_of(memory).inbox.bury(lost, scope=None)
    return memory


def destroy(memory: Memory) -> None:
    Encryption(parts_of(memory)).destroy(confirm="default")


def test_a_letter_that_names_the_tenant_and_no_user_is_emptied(memory: Memory) -> None:
    destroy(memory)

    with parts_of(memory).database.tenant("_system") as connection:
        (left,) = letters(connection, state="open")
    assert left.item == {"tenant": "theirs", "content": WORD}


def test_the_names_in_quotas_webhooks_and_the_audit_log_are_erased(
    memory: Memory, superuser: psycopg.Connection
) -> None:
    parts = parts_of(memory)
    parts.quotas.set("default", "recalls-a-minute", 60, applies="user", user=f"{USER}1")
    whose = {"user": f"{USER}2", "agent": None, "channel": None}
    parts.webhooks.add("default", "https://example.org/heard", "whsec_none", ["add"], whose)
    memory.scope(f"{USER}3", agent="helper").recall("anything?")
    assert found(superuser, [USER]).keys() >= {"quotas", "webhooks"}

    destroy(memory)

    assert found(superuser, [USER]) == {}


def test_the_working_memory_of_a_user_without_episodes_is_deleted(memory: Memory, cache_url: str) -> None:
    memory.scope(USER, agent="helper").working("s").set("plan", WORD)

    destroy(memory)

    with redis.Redis.from_url(cache_url, decode_responses=True) as client:
        assert [key for key in client.scan_iter() if USER in key] == []
