"""Talk for tests, and a model that makes the claims a test wants."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from slowwave.core.fold import Version
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model_calls import Chunk, Message, Reading
from slowwave.rules.cases import CaseMessage
from slowwave.rules.folders import default_roots
from slowwave.rules.model_packs.loading import load_reader
from slowwave.rules.model_packs.pack import ReaderPack

MAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
"""A Monday."""


@cache
def reader(folder: Path | None = None) -> ReaderPack:
    """Return the shipped pack."""
    return load_reader(folder or default_roots()[0] / "reader", "openai:fake?temperature=0")


def turns(*told: str, session: str = "s1", speaker: str | None = None) -> list[StoredEpisode]:
    """Return turns of a talk; those that begin with `A: ` are the assistant's."""
    return [
        CaseMessage(
            text=one.removeprefix("A: "), role="assistant" if one.startswith("A: ") else "user", at=MAY,
            session=session, speaker=speaker,
        ).episode(number)
        for number, one in enumerate(told)
    ]  # fmt: skip


def chunk(*told: str, held: Sequence[Version] = (), names: Sequence[str] = (), speaker: str | None = None) -> Chunk:
    """Return the only request about a talk."""
    (asked,) = reader().plan(turns(*told, speaker=speaker), [], held, names)
    return asked


def reading(asked: Chunk, *claims: dict[str, Any]) -> Reading:
    """Return the result of a reply with these claims."""
    return reader().read(asked, json.dumps({"claims": list(claims)}))


def claim(n: int, p: str, o: str, q: str, s: str = "user", **more: Any) -> dict[str, Any]:
    """Return a claim as a model makes it."""
    full = {"t": None, "c": "explicit", "m": "add", "r": None, "b": None} if set(more) - {"t"} else {}
    return {"n": n, "s": s, "p": p, "o": o, "q": q, **full, **more}


def only(read: Reading) -> Claim:
    """Return the only accepted claim."""
    assert not read.rejected, read.rejected
    (one,) = read.claims
    return one


def reasons(read: Reading) -> list[str]:
    """Return the reasons of the rejected claims."""
    return [one.reason for one in read.rejected]


def recorded(pack: ReaderPack) -> Callable[[Sequence[Message]], str]:
    """Return a model with the recorded replies of *pack*'s cases, which claims nothing from other talks.

    It goes by the turns alone, as what is told beside them hangs on what is held.
    """
    known = {
        _talk(asked.words.messages): reply
        for case in pack.cases
        for asked, reply in zip(pack.plan(case.stored, [], [], []), case.raw, strict=False)
    }
    return lambda messages: known.get(_talk(messages), '{"claims": []}')


def _talk(messages: Sequence[Message]) -> str:
    return next(one["content"] for one in messages if one["role"] == "user").partition("TALK, ")[2]
