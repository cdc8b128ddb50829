"""A model's reply: its JSON schema, and the claims in it before their verification."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast, get_args

from slowwave.domain.claim import Certainty, Mode
from slowwave.domain.model_calls import NUMBER, TEXT, list_schema, object_schema
from slowwave.errors import Unreadable

LONGEST = {"s": 80, "p": 60, "o": 240, "q": 600, "t": 80}
"""The maximum number of characters of each part of a claim."""
MOST_A_TURN = 12
"""The maximum number of claims about one turn. A model that makes more claims does not read the turn."""

_PLAIN = {"n": NUMBER, "s": TEXT, "p": TEXT, "o": TEXT, "q": TEXT}
_DATED = {**_PLAIN, "t": TEXT}
_FULL = {
    **_PLAIN,
    "t": {"type": ["string", "null"]},
    "c": {"enum": [*get_args(Certainty)]},
    "m": {"enum": ["add", "fix", "end"]},
    "r": {"type": ["integer", "null"]},
    "b": {"type": ["integer", "null"]},
}
_MODES: Mapping[str, Mode] = {"add": "assert", "fix": "correct", "end": "end"}
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
SCHEMA = object_schema(claims=list_schema({"anyOf": [object_schema(**one) for one in (_PLAIN, _DATED, _FULL)]}))
"""The three shapes of a claim, without other keys. Most claims use the shortest shape, because every key costs tokens.
"""


@dataclass(frozen=True, slots=True)
class ModelClaim:
    """A claim of a model's reply, not verified. *quote* is from the turn with the number *number*.

    *answers* is the number of another turn that is needed to understand the claim. *replaces* is the number of the
    belief that the claim replaces or ends. *time* is the phrase for the time of the claim.
    """

    number: int
    subject: str
    predicate: str
    object: str
    quote: str
    time: str = ""
    certainty: Certainty = "explicit"
    mode: Mode = "assert"
    replaces: int | None = None
    answers: int | None = None


def claims_of(reply: str) -> list[Mapping[str, Any]]:
    """Return the claims of a *reply*, unverified. Raises `Unreadable` for an invalid reply."""
    try:
        parsed = json.loads(reply)
    except ValueError:
        parsed = _within(reply)
    except RecursionError:
        raise Unreadable("it is nested too deeply") from None
    if not isinstance(parsed, dict) or not isinstance(parsed.get("claims"), list):
        raise Unreadable('expected one JSON object {"claims": [...]}')
    return [one if isinstance(one, dict) else {"said": str(one)[:200]} for one in parsed["claims"]]


def _within(reply: str) -> Any:
    """Return the JSON object in a reply. Some models add other words, although the prompt forbids this."""
    found = _OBJECT.search(reply)
    try:
        return json.loads(found[0]) if found else None
    except (ValueError, RecursionError) as error:
        place = f" at character {error.pos}" if isinstance(error, json.JSONDecodeError) else ""
        raise Unreadable(f"it is not JSON{place}") from None


def claim_of(fields: Mapping[str, Any]) -> ModelClaim | None:
    """Return the claim in *fields*, which have short keys; None if the claim is invalid."""
    texts = {key: " ".join(value.split()) for key in "spoq" if isinstance(value := fields.get(key), str)}
    number = _whole(fields.get("n"))
    time, certainty, mode = fields.get("t") or "", fields.get("c") or "explicit", fields.get("m") or "add"
    valid = isinstance(time, str) and certainty in get_args(Certainty) and mode in _MODES
    if number is None or len(texts) < 4 or not all(texts.values()) or not valid:
        return None
    if any(len(value) > LONGEST[key] for key, value in {**texts, "t": time}.items()):
        return None
    return ModelClaim(
        number, texts["s"], texts["p"], texts["o"], str(fields["q"]), " ".join(time.split()),
        cast(Certainty, certainty), _MODES[mode], _whole(fields.get("r")), _whole(fields.get("b")),
    )  # fmt: skip


def _whole(value: object) -> int | None:
    if isinstance(value, str) and value.lstrip("h").isdecimal():
        value = int(value.lstrip("h")[:9])
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**9 else None


def without(claim: ModelClaim, span: tuple[int, int]) -> ModelClaim:
    """Return *claim* without *span* in its object. If the span is the whole object, the claim is unchanged."""
    begin, end = span
    left = " ".join((claim.object[:begin].rstrip(" ,(") + " " + claim.object[end:].lstrip(" ,)")).split())
    left = re.sub(r"\s+(?:on|in|at|since|for|the|and)$", "", left)
    return replace(claim, object=left) if left else claim
