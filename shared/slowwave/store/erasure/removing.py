"""The statements that remove content from rows, table by table; the eraser alone may run them."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

GONE = "erased"
"""What stands where words stood that a row must have."""

_HERE = "scope = %(scope)s"
_AT = f"{_HERE} AND (%(everything)s OR position = ANY(%(positions)s::bigint[]))"
_SESSIONS = f"{_HERE} AND (%(everything)s OR session = ANY(%(sessions)s::text[]))"
_FACTS = f"{_HERE} AND (%(everything)s OR fact = ANY(%(facts)s::uuid[]))"
_ENTITIES = f"{_HERE} AND (%(everything)s OR entity = ANY(%(entities)s::uuid[]))"
_MEMORIES = "(%(everything)s OR {} = ANY(%(memories)s::uuid[]))"

OF_A_SCOPE: Mapping[str, str] = {
    "episode_vectors": f"DELETE FROM episode_vectors WHERE {_AT}",
    "unread_turns": f"DELETE FROM unread_turns WHERE {_AT}",
    "episodes": f"DELETE FROM episodes WHERE {_AT}",
    "delta_payloads": "DELETE FROM delta_payloads WHERE delta = ANY(%(deltas)s::uuid[])",
    "delta_payloads of others": 'UPDATE delta_payloads SET payload = payload || \'{"reason": ""}\' '
    "WHERE delta = ANY(%(beside)s::uuid[])",
    "delta_sources": "UPDATE delta_sources s SET key = '' FROM deltas d WHERE d.id = s.delta AND d.scope = %(scope)s "
    "AND s.key <> '' AND (%(everything)s OR (s.origin IS NULL AND s.position = ANY(%(positions)s::bigint[])) "
    "OR EXISTS (SELECT FROM erasure_targets t WHERE t.erasure = %(erasure)s AND t.scope = s.origin "
    "AND (t.everything OR s.position = ANY(t.positions))))",
    "facts": "UPDATE facts SET subject = '', predicate = '_erased', object = '', session = '', text = '' "
    f"WHERE {_FACTS} AND predicate <> '_erased'",
    "fact_vectors": f"DELETE FROM fact_vectors WHERE {_FACTS}",
    "belief_words": f"DELETE FROM belief_words w WHERE {_HERE} AND (%(everything)s OR w.belief IN "
    f"(SELECT f.belief FROM facts f WHERE f.{_HERE} AND f.fact = ANY(%(facts)s::uuid[])) AND NOT EXISTS "
    f"(SELECT FROM facts f WHERE f.{_HERE} AND f.belief = w.belief AND f.predicate <> '_erased'))",
    "edges": f"DELETE FROM edges WHERE {_FACTS}",
    "entity_vectors": f"DELETE FROM entity_vectors WHERE {_ENTITIES}",
    "entities": f"DELETE FROM entities WHERE {_ENTITIES}",
    "standing": f"DELETE FROM standing WHERE {_HERE} AND (%(everything)s OR memory = ANY(%(ids)s::uuid[]) "
    "OR memory = ANY(%(facts)s::uuid[]) OR memory = ANY(%(entities)s::uuid[]) OR memory = ANY(%(memories)s::uuid[]))",
    "word_blocks": f"DELETE FROM word_blocks WHERE {_HERE} AND %(everything)s",
    "vector_blocks": f"DELETE FROM vector_blocks WHERE {_HERE} AND %(everything)s",
    "goals": f"DELETE FROM goals WHERE {_HERE} AND {_MEMORIES.format('goal')}",
    "consensus": f"DELETE FROM consensus WHERE {_HERE} AND {_MEMORIES.format('record')}",
    "strategies": f"DELETE FROM strategies WHERE {_HERE} AND ({_MEMORIES.format('strategy')} "
    "OR task = ANY(%(tasks)s::text[]) AND tools && %(tools)s::text[] OR fact = ANY(%(facts)s::uuid[]))",
    "tool_stats": f"DELETE FROM tool_stats WHERE {_HERE} "
    "AND (%(everything)s OR task = ANY(%(tasks)s::text[]) AND tool = ANY(%(tools)s::text[]))",
    "sightings": f"DELETE FROM sightings WHERE {_HERE} AND (%(everything)s OR EXISTS (SELECT FROM "
    "jsonb_array_elements(sources) AS source (one) WHERE (one ->> 2)::bigint = ANY(%(positions)s::bigint[])))",
    "conversations": f"DELETE FROM conversations WHERE {_SESSIONS}",
    "segments": f"DELETE FROM segments WHERE {_SESSIONS}",
    "topics": f"DELETE FROM topics WHERE {_SESSIONS}",
    "tellings": f"DELETE FROM tellings WHERE {_SESSIONS}",
    "tree_nodes": f"DELETE FROM tree_nodes WHERE {_HERE} AND (%(everything)s OR %(regrow)s)",
    "firings": f"DELETE FROM firings WHERE {_HERE} AND (%(everything)s AND at_window ~ '[^0-9/]' "
    "OR EXISTS (SELECT FROM unnest(%(sessions)s::text[]) AS gone (session) WHERE strpos(at_window, session) > 0))",
    "promotions": "UPDATE promotions SET policy = '{}', undone = coalesce(undone, slowwave_now()), due = NULL "
    "WHERE (target = %(scope)s AND (%(everything)s OR fact = ANY(%(facts)s::uuid[]))) "
    "OR (source_scope = %(scope)s AND (%(everything)s OR source_fact = ANY(%(facts)s::uuid[])))",
    "model_rejected": f"UPDATE model_rejected SET said = NULL, reason = '{GONE}' WHERE {_AT}",
    "model_requests": f"UPDATE model_requests SET reason = NULL, last = NULL WHERE {_HERE} AND state = 'erased'",
    "dead_letters": f"UPDATE dead_letters SET item = NULL, reason = '{GONE}', "
    f"state = CASE WHEN state = 'open' THEN 'dropped' ELSE state END WHERE {_AT}",
    "runs": "UPDATE runs r SET error = NULL "
    f"WHERE {_HERE} AND (%(everything)s OR (r.error IS NOT NULL AND EXISTS "
    "(SELECT FROM unnest(%(positions)s::bigint[]) AS at (position) WHERE position BETWEEN r.lo AND r.hi)))",
    "audit_log": "UPDATE audit_log a SET detail = '{}', query_text = NULL, error_message = NULL, "
    "session_id = CASE WHEN %(everything)s OR session_id = ANY(%(sessions)s::text[]) THEN NULL ELSE session_id END, "
    "conversation_id = CASE WHEN %(everything)s OR conversation_id = ANY(%(sessions)s::text[]) THEN NULL "
    "ELSE conversation_id END, "
    "user_id = CASE WHEN %(everything)s THEN NULL ELSE user_id END, "
    "source_channel = CASE WHEN %(everything)s THEN NULL ELSE source_channel END, "
    "target_channels = CASE WHEN %(everything)s THEN NULL ELSE target_channels END, "
    "promoted_from_channel = CASE WHEN %(everything)s THEN NULL ELSE promoted_from_channel END "
    f"WHERE {_HERE} AND (%(everything)s OR session_id = ANY(%(sessions)s::text[]) "
    "OR detail -> 'sessions' ?| %(sessions)s::text[] OR affected && %(facts)s::uuid[] OR affected && %(ids)s::uuid[] "
    "OR affected && %(memories)s::uuid[] OR query_text IS NOT NULL AND at >= %(since)s OR EXISTS "
    f"(SELECT FROM runs r WHERE r.run = a.run AND r.{_HERE} AND EXISTS (SELECT FROM unnest(%(positions)s::bigint[]) "
    "AS p (position) WHERE position BETWEEN r.lo AND r.hi)))",
    "undos": f"UPDATE undos SET what = '{GONE}', reason = '', by_whom = '{GONE}' WHERE {_HERE} AND %(everything)s "
    "AND applied IS NOT NULL",
    "holds": f"UPDATE holds SET reason = '{GONE}' WHERE {_HERE} AND %(everything)s",
    "scope_heads": f"UPDATE scope_heads SET user_id = %(pseudonym)s, erased = slowwave_now(), "
    "channel = CASE channel WHEN '_global' THEN channel ELSE 'erased-' || scope END "
    f"WHERE {_HERE} AND %(everything)s AND %(nameless)s",
}
"""What removes content from a scope, in this order; a name before a blank is the table."""

OF_A_TENANT: Mapping[str, str] = {
    "dead_letters": f"UPDATE dead_letters SET item = NULL, reason = '{GONE}', "
    "state = CASE WHEN state = 'open' THEN 'dropped' ELSE state END WHERE letter = ANY(%(letters)s::bigint[])",
    "audit_log": "UPDATE audit_log SET detail = '{}', query_text = NULL, error_message = NULL, session_id = NULL, "
    "conversation_id = NULL, user_id = NULL, source_channel = NULL, target_channels = NULL, "
    "promoted_from_channel = NULL WHERE id = ANY(%(audits)s::bigint[])",
    "webhooks": "UPDATE webhooks SET user_id = NULL, channel = NULL, trouble = NULL, secret = '', "
    "removed = coalesce(removed, slowwave_now()) WHERE user_id = %(user)s AND %(nameless)s",
}
"""What removes content that lies in no scope."""


def remove(connection: Connection, statements: Mapping[str, str], asked: Mapping[str, Any]) -> Counter[str]:
    """Run *statements*; return how many rows of which table or partition each changed."""
    found: Counter[str] = Counter()
    for statement in statements.values():
        counted = f"WITH gone AS ({statement} RETURNING {_table(statement)}.tableoid) "  # noqa: S608 - our own statements
        counted += "SELECT tableoid::regclass::text, count(*) FROM gone GROUP BY 1"
        found.update({name: count for name, count in connection.exec_driver_sql(counted, asked).all()})
    return found


def _table(statement: str) -> str:
    """Return by which name a statement calls its table."""
    words = statement.removeprefix("DELETE FROM ").removeprefix("UPDATE ").split()
    return words[1] if words[1] not in ("SET", "WHERE") else words[0]
