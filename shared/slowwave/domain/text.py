"""The conditions for text that may be stored, and JSON as text."""

import json
import unicodedata
from typing import Any

from slowwave.domain.limits import NAME_CHARACTERS

ZERO_WIDTH = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad")
BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")


def text_problems(text: str) -> list[str]:
    """Return the reasons why Postgres cannot store *text*: NUL characters and lone surrogates."""
    problems = []
    if "\0" in text:
        problems.append("contains a NUL character")
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        problems.append("contains a lone surrogate")
    return problems


def beginning(text: str, most_bytes: int) -> str:
    """Return *text*, or its longest beginning that fits *most_bytes* of UTF-8.

    >>> beginning("crème", 5), beginning("crème", 6)
    ('cr…', 'crème')
    """
    whole = text.encode("utf-8", "replace")
    return text if len(whole) <= most_bytes else whole[: most_bytes - 3].decode(errors="ignore") + "…"


def name_problems(name: str, *, longest: int = NAME_CHARACTERS) -> list[str]:
    """Return the reasons why *name* is not valid for a tenant, user, agent, channel, session or key.

    Names are compared for equality, so two names that look the same must be equal.
    """
    if not name:
        return ["is empty"]
    if len(name) > 100 * longest:
        return [f"has {len(name)} characters, at most {longest} are allowed"]
    problems = [] if (plain := name.isascii() and name.isprintable()) else text_problems(name)
    if len(name) > longest:
        problems.append(f"has {len(name)} characters, at most {longest} are allowed")
    if name != name.strip():
        problems.append("begins or ends with white space")
    if plain:
        return problems
    if any(unicodedata.category(character) == "Cc" and character != "\0" for character in name):
        problems.append("contains control characters")
    if any(character in ZERO_WIDTH or character in BIDI for character in name):
        problems.append("contains invisible characters")
    if not any("\ud800" <= c <= "\udfff" for c in name) and not unicodedata.is_normalized("NFC", name):
        problems.append("is not normalised (use Unicode NFC)")
    return problems


_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def canonical_json(value: Any) -> bytes:
    """Return JSON that is identical for equal values, in any order of their keys."""
    return _CANONICAL.encode(value).encode()
