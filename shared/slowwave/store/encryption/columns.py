"""The columns whose words are encrypted."""

from collections.abc import Mapping
from dataclasses import dataclass

PLAIN_KEYS = frozenset(("certainty", "effect", "mode", "predicate", "rule", "session", "subject"))
"""Keys of payloads and dead letters whose strings stay readable, because statements compare them."""
TOOL_KEYS = frozenset(("tool", "traceparent"))
"""Keys of an episode's metadata whose strings stay readable, because statements search for them."""
SESSION_KEYS = frozenset(("sessions",))
"""Keys of the details of audit rows whose strings stay readable."""
POLICY_KEYS = frozenset(("preset",))
"""Keys of the policies of promotions whose strings stay readable: names of presets."""


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
    "promotions": {"policy": Column(is_json=True, plain=POLICY_KEYS)},
    "strategies": {"description": _TEXT, "context_pattern": _TEXT},
    "tree_nodes": {"text": _TEXT},
    "undos": {"what": _COMPARED, "reason": _TEXT},
}  # fmt: skip
"""The encrypted columns by table."""
