"""The consensus and dissent of agents. Each verdict is stored once, is audited, and can be found by its topic."""

import hashlib
import json
import uuid
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from slowwave.core.beliefs.identity import normal
from slowwave.domain.consensus import Position, Stance, Verdict
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.errors import Conflict
from slowwave.ports import Vectors
from slowwave.store.access.stored_words import note
from slowwave.store.audit import log as audit
from slowwave.store.encryption.tenant_keys import encrypted_json, encrypted_text
from slowwave.store.inbox.stored_episodes import create_scopes
from slowwave.store.statements import execute

KIND = "consensus"
MOST = 1_000


def topic_hash(topic: str) -> str:
    """Return the hash of a topic as 64 hexadecimal digits. Case and white space of the topic do not change the hash.

    >>> topic_hash("Which database?") == topic_hash(" which  DATABASE?")
    True
    """
    return hashlib.sha256(normal(topic).encode("utf-8", "surrogatepass")).hexdigest()


def store(
    connection: Connection, scope: Scope, stance: Stance, verdict: Verdict, *, space: int, vector: Vectors | None
) -> Position:
    """Store *verdict* unless the same verdict is stored already; return the stored record.

    Raises `Conflict` if a different verdict is stored under the key.
    """
    create_scopes(connection, [scope])
    id_ = uuid.uuid4() if verdict.key is None else uuid.uuid5(scope.id, f"{KIND}/{verdict.key}")
    payload = verdict.model_dump(exclude={"key", "metadata", "agents"})
    written = execute(
        connection,
        "goals/store",
        **payload
        | {
            "statement": encrypted_text(connection, verdict.statement),
            "reason": encrypted_text(connection, verdict.reason),
        },
        scope=scope.id,
        record=id_,
        stance=stance,
        topic_hash=topic_hash(verdict.topic),
        agents=list(verdict.agents),
        metadata=encrypted_json(connection, [json.dumps(verdict.metadata)])[0],
        space=None if vector is None else space,
        embedding=vector,
    ).scalar_one_or_none()
    if written:
        note(connection, verdict.topic, verdict.statement, verdict.reason, json.dumps(verdict.metadata))
        audit.log_write(
            connection, "store", KIND, scope=scope.id, affected=[id_], detail={"stance": stance}, payload=payload
        )
    stored = next(iter(_find(connection, scope, verdict.topic, record=id_)), None)
    wanted = stance, verdict.statement, verdict.agents
    if stored is None or (stored.stance, stored.statement, tuple(stored.agents)) != wanted:
        raise Conflict("the key is taken by another verdict", hint="verdicts are immutable: give this one another key")
    return stored


def similar(
    connection: Connection, scope: Scope, topic: str, *, space: str, vector: Vectors | None, most: int
) -> list[Position]:
    """Return the consensus on similar topics, the most similar first.

    Of equally similar topics, the latest comes first.
    """
    return _find(
        connection, scope, topic, stance="consensus", space=space, vector=vector, same=vector is None, most=most
    )


def dissent(connection: Connection, scope: Scope, hash_: str) -> list[Position]:
    """Return the dissent about the topic with this hash, the latest first."""
    return _find(connection, scope, None, stance="dissent", topic_hash=hash_)


def _find(connection: Connection, scope: Scope, topic: str | None, **wanted: Any) -> list[Position]:
    parameters: dict[str, Any] = {
        "tenant": scope.tenant,
        "user": scope.user,
        "channels": [scope.channel, GLOBAL_CHANNEL],
        "topic_hash": None if topic is None else topic_hash(topic),
        "stance": None,
        "record": None,
        "space": None,
        "vector": None,
        "same": True,
        "most": MOST,
    }
    rows: Sequence[Any] = execute(connection, "goals/find", **(parameters | wanted)).mappings().all()
    return [Position(**row) for row in rows]
