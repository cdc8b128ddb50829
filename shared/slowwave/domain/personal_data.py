"""The tables, Redis keys and files that store a person's words or names, or data derived from them."""

from collections.abc import Mapping
from dataclasses import dataclass

BEYOND = (
    "Earlier backups, exports and dumps keep the words: delete or replace them.",
    "Archived write-ahead log keeps the words: delete files from before the second step. Replicas need nothing.",
    "Model and embedding providers keep requests as their terms say: ask them to delete these.",
    "Outboxes, report pages, command histories and files on other hosts keep the words; so do pages of "
    "`slowwave report --out`.",
    "Without SLOWWAVE_ID_KEY, ids of scopes and episodes can be computed from names: whoever knows a name and reads "
    "the ids can check whether it was stored. With it, this also needs the key.",
    "The file system may keep blocks of deleted files until it writes over them.",
)
"""Copies that no erasure can reach; every receipt names them."""


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of a database table, by whether they have personal data.

    *words* are the columns with words, names or vectors of a person. *ours* are the other columns. *erased* says what
    an erasure does with the rows of the table. It is empty for a table without words.
    """

    words: tuple[str, ...] = ()
    ours: tuple[str, ...] = ()
    erased: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A place outside the tables: Redis keys that match *name*, or files under *name* in SLOWWAVE_HOME."""

    name: str
    holds: str
    erased: str


def _table(words: str = "", ours: str = "", erased: str = "") -> Table:
    return Table(tuple(words.split()), tuple(ours.split()), erased)


TABLES: Mapping[str, Table] = {
    "api_buckets": _table(ours="verb"),
    "api_keys": _table(ours="name hash verbs"),
    "audit_log": _table(
        "user_id session_id conversation_id source_channel target_channels promoted_from_channel detail query_text "
        "error_message",
        "operation memory_type settings",
        "Words and names are emptied; the operation and its time stay.",
    ),
    "belief_words": _table(erased="The words of erased beliefs, keyed digests, are deleted."),
    "beliefs": _table(ours="digest"),
    "canaries": _table(
        "by_whom reason",
        "pack verdict",
        "Emptied if they match or name the erased person, and the request is of the tenant SLOWWAVE_TENANT.",
    ),
    "consensus": _table(
        "topic topic_hash statement agents reason metadata embedding",
        "stance",
        "Rows of the erased person, and rows that match, are deleted.",
    ),
    "conversations": _table("session", erased="Deleted with the last episode of the session."),
    "dead_letters": _table(
        "item reason",
        "pack category state",
        "Items and reasons are emptied, also in letters without a tenant; open letters are dropped.",
    ),
    "delta_origins": _table(ours="relation"),
    "delta_payloads": _table(
        "payload",
        erased="Deleted; the skeleton of the delta stays in the ledger. A reason elsewhere that matches, or names the "
        "erased person, is emptied.",
    ),
    "delta_sources": _table("key", erased="The key is emptied; the source stays in the ledger."),
    "deltas": _table(ours="pack rule kind mode fingerprint payload_digest"),
    "edges": _table("relation", "kind", "Deleted with their fact."),
    "embedding_moves": _table(),
    "embedding_spaces": _table(ours="name"),
    "entities": _table("name spelled", erased="Deleted if no other fact names them."),
    "entity_vectors": _table("embedding", erased="Deleted with their entity."),
    "episode_keys": _table("digest", erased="The digest of the content, which is keyed, is keyed once more."),
    "episode_vectors": _table("embedding", erased="Deleted."),
    "episodes": _table("key session speaker content metadata terms", "role kind", "Deleted."),
    "erasure_targets": _table(),
    "erasures": _table(ours="kind fingerprint counts tables"),
    "fact_vectors": _table("embedding", erased="Deleted."),
    "facts": _table(
        "subject predicate object session text terms",
        "rule form tense",
        "Withdrawn by a delta, then emptied; id, times and confidence stay, so that facts can be rebuilt.",
    ),
    "firings": _table("at_window", "schedule fired_by", "Rows that name an erased session are deleted."),
    "goals": _table(
        "description result embedding", "status", "Rows of the erased person, and rows that match, are deleted."
    ),
    "graph_versions": _table(),
    "id_keys": _table(ours="proof"),
    "intents": _table(ours="job pack state"),
    "ledger_seals": _table(ours="seal"),
    "legal_holds": _table(
        "reason", erased="The reasons of released holds on an erased person, or that name the person or match."
    ),
    "model_batches": _table(ours="provider state"),
    "model_breakers": _table(ours="provider"),
    "model_budgets": _table(),
    "model_calls": _table(
        "user_id", "request provider owner model outcome", "The name of an erased user is emptied; the costs stay."
    ),
    "model_chunks": _table(ours="request"),
    "model_payloads": _table("words", "request", "Emptied, with all other words of the same request."),
    "model_rejected": _table("said reason", "pack request", "Emptied."),
    "model_replies": _table("raw complaint", "request", "Emptied, also for a reply that arrives later."),
    "model_requests": _table("reason last", "request pack model edition state", "Closed; their reasons are emptied."),
    "model_slots": _table(ours="provider of_tenant"),
    "model_summaries": _table(
        "about session lines embedding",
        "waiting request model",
        "Emptied if an erased episode supports them, and written again from the other episodes; or if they match.",
    ),
    "model_windows": _table(ours="pack edition state"),
    "packs": _table(ours="pack job digest"),
    "predicates": _table(ours="predicate said_by"),
    "processes": _table(ours="process role"),
    "promotions": _table(
        "policy", erased="Revoked if their fact is erased. A reason that matches, or names the person, is emptied."
    ),
    "quotas": _table("user_id", "what applies", "Quotas of the erased person are deleted."),
    "reconsiderations": _table(ours="waiting"),
    "registrations": _table(ours="digest"),
    "revisions": _table(ours="version description"),
    "running_segments": _table("session", erased="Deleted with the last episode of the session."),
    "runs": _table(
        "error", "job pack owner outcome counts settings task", "Errors of runs in erased scopes are emptied."
    ),
    "schedules": _table(ours="schedule job pack kind cron zone missed reference rung"),
    "scope_heads": _table("user_id channel", "agent", "The names of an erased person are replaced."),
    "scope_leases": _table(ours="owner"),
    "segments": _table("session", erased="Deleted with the last episode of the session."),
    "sightings": _table("bucket sources", erased="Deleted if an erased episode supports them."),
    "slices": _table(ours="job"),
    "standing": _table(ours="kind source tier", erased="Deleted with their memory."),
    "strategies": _table(
        "task description context_pattern tools embedding",
        erased="Deleted if an erased tool call supports them; later tool calls count again.",
    ),
    "tallies": _table(ours="name"),
    "tenant_keys": _table(ours="wrapped master"),
    "tenant_seals": _table(ours="seal"),
    "tenants": _table(ours="fingerprint_key"),
    "tier_moves": _table(ours="from_tier to_tier reason"),
    "tool_stats": _table("tool task", erased="Deleted if an erased tool call supports them, or if they match."),
    "tree_nodes": _table(
        "text embedding",
        erased="The tree is deleted, and rebuilt from the remaining summaries.",
    ),
    "undone": _table(),
    "undos": _table(
        "what reason by_whom",
        erased="Emptied in the scopes of an erased person; elsewhere, if they match or name the person.",
    ),
    "unread_turns": _table("session", "language", "Deleted."),
    "vector_blocks": _table("codes", erased="Packed again without the erased episodes."),
    "watermarks": _table(ours="pack"),
    "webhooks": _table(
        "user_id channel trouble", "url secret kinds agent", "Removed if they deliver deltas of an erased person."
    ),
    "word_blocks": _table(
        "sessions words first_user last_user",
        "received occurred roles lengths starts docs",
        "Packed again without the erased episodes.",
    ),
}
"""Every table, with each of its columns of text, JSON, bytes or vectors in one of the two lists."""

KEYS = (
    Place(
        "*:working:*",
        "the working memory of conversations, in the cache",
        "deleted for the session or person, or if it matches",
    ),
    Place("slowwave", "messages with episodes that wait for a worker, in the broker", "removed by scope or key"),
    Place("slowwave.malformed", "messages that cannot be parsed", "removed if they contain an erased name or word"),
    Place("unacked", "messages a worker has taken, in the broker", "removed by scope or key"),
    Place(
        "slowwave.receipts.*", "confirmations to clients: ids and reasons", "reasons are removed, confirmations stay"
    ),
)
"""The Redis keys with words. Other keys hold only ids."""

FILES = (
    Place("postgres/data", "rows, index entries, statistics and write-ahead log", "rewritten by the second step"),
    Place("redis/data", "the append-only file of the broker", "rewritten by the second step"),
    Place("reports", "pages of the night report, also in SLOWWAVE_REPORTS", "the tenant's are deleted on this host"),
    Place("outbox", "episodes that wait for Postgres, and refused ones, on each host", "removed on this host"),
)
"""The files with words. Logs hold no words."""


def of_words() -> list[str]:
    """Return the names of the tables with a person's words. The second step of an erasure rewrites these tables."""
    return [name for name, table in sorted(TABLES.items()) if table.words or table.erased]
