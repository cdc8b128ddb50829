"""The columns whose words are encrypted, and the columns with words that stay readable, each with the reason."""

from collections.abc import Mapping
from dataclasses import dataclass

PLAIN_KEYS = frozenset(("certainty", "effect", "mode", "predicate", "rule", "session", "subject"))
"""Keys of payloads and dead letters whose strings stay readable, because statements compare them."""
TOOL_KEYS = frozenset(("tool", "traceparent"))
"""Keys of an episode's metadata whose strings stay readable, because statements search for them."""
SESSION_KEYS = frozenset(("sessions",))
"""Keys of the details of audit rows whose strings stay readable."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column with encrypted texts, or with JSON whose strings are encrypted except those of the keys *plain*.

    With *same*, equal texts have equal ciphertexts, because statements compare them.
    """

    is_json: bool = False
    plain: frozenset[str] = frozenset()
    same: bool = False


_TEXT, _JSON, _COMPARED = Column(), Column(is_json=True), Column(same=True)

ENCRYPTED: Mapping[str, Mapping[str, Column]] = {
    "audit_log": {
        "detail": Column(is_json=True, plain=SESSION_KEYS), "query_text": _TEXT, "error_message": _TEXT,
    },
    "consensus": {"statement": _TEXT, "reason": _TEXT, "metadata": _JSON},
    "dead_letters": {"item": Column(is_json=True, plain=PLAIN_KEYS, same=True), "reason": _COMPARED},
    "delta_payloads": {"payload": Column(is_json=True, plain=PLAIN_KEYS)},
    "episodes": {"content": _TEXT, "metadata": Column(is_json=True, plain=TOOL_KEYS)},
    "facts": {"object": _COMPARED, "text": _COMPARED},
    "goals": {"description": _TEXT, "result": _TEXT},
    "legal_holds": {"reason": _TEXT},
    "model_payloads": {"words": _JSON},
    "model_rejected": {"said": _JSON},
    "model_replies": {"raw": _TEXT, "complaint": _TEXT},
    "model_summaries": {"lines": _JSON},
    "strategies": {"description": _TEXT, "context_pattern": _TEXT},
    "tree_nodes": {"text": _TEXT},
    "undos": {"what": _COMPARED, "reason": _TEXT},
}  # fmt: skip
"""The encrypted columns by table."""

READABLE: Mapping[str, str] = {
    "names": "key session sessions speaker user_id session_id conversation_id source_channel target_channels "
    "promoted_from_channel channel agents by_whom name spelled subject bucket at_window first_user last_user about",
    "keys by which Postgres finds or compares rows": "predicate relation topic topic_hash task tool tools "
    "episode_keys.digest vector_blocks.codes sightings.sources promotions.policy model_requests.last",
    "the stems of a text without their order, by which Postgres searches": "terms word_blocks.words",
    "vectors, by which Postgres searches": "embedding",
    "texts of the installation, which belong to no tenant": "canaries.reason",
    "messages of Slowwave, which hold no words of a person by default": "runs.error model_rejected.reason "
    "model_requests.reason webhooks.trouble",
}
"""The columns that stay readable although they can hold words, by reason: each is `column` or `table.column`."""


def stays_readable(table: str, column: str) -> bool:
    """Return whether a column that can hold words stays readable."""
    return any({column, f"{table}.{column}"} & set(names.split()) for names in READABLE.values())
