"""A store filled in advance: facts with their ledger, sources and standing, written by the thousand."""

import uuid
from collections.abc import Sequence

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.store.inbox.scopes import create_scopes

TENANT = "default"
AT_ONCE = 10_000
"""Facts per insert statement: enough to be fast, few enough to finish long before the statement timeout."""

_FILL = """
WITH new AS MATERIALIZED (
    SELECT
        gen_random_uuid() AS fact, scope, number, slowwave_now() - interval '40 days' AS at,
        CASE WHEN %(tree)s AND number %% 2 = 0 THEN 'thing ' || number / 2 ELSE 'user' END AS subject
    FROM unnest(%(scopes)s::uuid[]) AS scope, generate_series(%(first)s::int, %(last)s::int) AS number
),
held AS (
    INSERT INTO beliefs (scope, tenant, digest)
    SELECT scope, slowwave_tenant(), sha256(fact::text::bytea) FROM new
    RETURNING belief, scope, digest
),
opened AS (
    INSERT INTO facts (scope, tenant, fact, belief, subject, predicate, object, single_valued, valid, recorded,
        confidence, rule, position, session, text)
    SELECT new.scope, slowwave_tenant(), new.fact, held.belief, subject, 'likes', 'thing ' || number, false,
        tstzrange(at, NULL), tstzrange(at + number * interval '1 microsecond', NULL), 0.7, 'bench', number, 's',
        subject || ' likes thing ' || number
    FROM new JOIN held ON held.digest = sha256(new.fact::text::bytea)
),
told AS (
    INSERT INTO deltas (id, scope, tenant, pack, rule, kind, mode, position, belief, fact, valid, confidence, recorded,
        fingerprint, payload_digest)
    SELECT fact, new.scope, slowwave_tenant(), 'bench', 'bench', 'add', 'assert', number, belief, fact,
        tstzrange(at, NULL), 0.7, at + number * interval '1 microsecond', digest, sha256(''::bytea)
    FROM new JOIN held ON held.digest = sha256(new.fact::text::bytea)
),
sourced AS (
    INSERT INTO delta_sources (delta, ordinal, tenant, episode, key, position, span_start, span_end)
    SELECT fact, 0, slowwave_tenant(), gen_random_uuid(), 'bench', number, 0, 1 FROM new
)
INSERT INTO standing (scope, memory, tenant, kind, source, tier, base, created)
SELECT scope, fact, slowwave_tenant(), 'semantic', 'inferred', 'warm', 0.7, at FROM new
"""


def fill(parts: wiring.Parts, *, scopes: int, facts: int, channel: str = "project", tree: bool = False) -> list[Scope]:
    """Fill *scopes* scopes with *facts* inferred facts each, 40 days old and never recalled; return the scopes.

    The facts have no due time yet; the benchmark sets it. All facts are about the user; with *tree*, every second fact
    is about another entity.
    """
    made = [Scope(TENANT, f"user-{number}", "bench", channel) for number in range(scopes)]
    _bear(parts, made)
    many = max(1, AT_ONCE // facts)
    for start in range(0, scopes, many):
        part = [scope.id for scope in made[start : start + many]]
        for first in range(1, facts + 1, AT_ONCE):
            _write(parts, part, first, min(facts, first + AT_ONCE - 1), tree)
    return made


def _bear(parts: wiring.Parts, scopes: Sequence[Scope]) -> None:
    for start in range(0, len(scopes), 1000):
        with parts.database.tenant(TENANT) as connection:
            create_scopes(connection, scopes[start : start + 1000])


def _write(parts: wiring.Parts, scopes: Sequence[uuid.UUID], first: int, last: int, tree: bool) -> None:
    with parts.database.tenant(TENANT) as connection:
        connection.exec_driver_sql(_FILL, {"scopes": list(scopes), "first": first, "last": last, "tree": tree})
