"""The summary (overview) of evicted memories: one belief with their shortened contents and references to them."""

import hashlib
import math
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from slowwave.core.beliefs.identity import belief_key
from slowwave.core.fold import Decision, Fingerprint, Version
from slowwave.core.time_spans import END, Span
from slowwave.domain.claim import Claim, Origin, Source

PREDICATE = "overview"
CHARACTERS = 2_000
"""The longest overview, in characters, which is about three hundred words."""


@dataclass(frozen=True, slots=True)
class Victim:
    """A memory to be evicted: its text, its subject, and its source words."""

    memory: uuid.UUID
    subject: str | None
    text: str
    confidence: float
    session: str
    sources: Sequence[Source]


def room(capacity: int) -> int:
    """Return the number of memories that stay on a tier when memories are evicted: nine tenths of *capacity*.

    At least one place is freed, because the overview needs a place on a tier and must not cause the next eviction.

    >>> room(200), room(2), room(1)
    (180, 1, 0)
    """
    return min(math.ceil(0.9 * capacity), capacity - 1)


def text_of(victims: Sequence[Victim]) -> str:
    """Return the text of an overview of *victims*, without repeats, in order, up to the length of an overview."""
    texts = list(dict.fromkeys(" ".join(victim.text.split()) for victim in victims))
    included, length = list[str](), 0
    for each in texts:
        if included and length + len(each) > CHARACTERS:
            break
        included.append(each[:CHARACTERS])
        length += len(each) + 2
    more = f"; and {len(texts) - len(included)} more" if len(included) < len(texts) else ""
    return "; ".join(included) + more


def overview_id(scope: uuid.UUID, tier: str, victims: Sequence[Victim]) -> uuid.UUID:
    """Return the id of the overview of *victims*, independent of their order."""
    names = "/".join(sorted(str(victim.memory) for victim in victims))
    return uuid.uuid5(scope, f"{PREDICATE}/{tier}/{hashlib.sha256(names.encode()).hexdigest()}")


def decide(
    scope: uuid.UUID, tier: str, victims: Sequence[Victim], *, rule: str, at: datetime, fingerprint: Fingerprint
) -> Decision:
    """Return the add delta of the overview of *victims*. At least one of *victims* must have a source.

    The overview has the most frequent subject of the victims and their lowest confidence.
    """
    sources = list(dict.fromkeys(source for victim in victims for source in victim.sources))
    subjects = Counter(victim.subject for victim in victims if victim.subject is not None)
    subject = subjects.most_common(1)[0][0] if subjects else "user"
    claim = Claim(
        subject=subject,
        predicate=PREDICATE,
        object=text_of(victims),
        mode="assert",
        certainty="implied",
        confidence=min(victim.confidence for victim in victims),
        valid_from=at,
        valid_to=None,
        single_valued=False,
        rule=rule,
        session=victims[0].session,
        source=sources[0],
        ordinal=0,
        more_sources=tuple(sources[1:]),
        origins=tuple(Origin("summarises", scope, victim.memory) for victim in victims),
        text=text_of(victims),
    )
    id_, key = overview_id(scope, tier, victims), belief_key(subject, PREDICATE, claim.object, single_valued=False)
    span = Span(at, END)
    opened = Version(
        id_, key, subject, PREDICATE, claim.object, span, claim.confidence, sources[0].own_position, claim.session,
        rule,
        text=claim.text,
    )  # fmt: skip
    return Decision(
        id_,
        "add",
        claim,
        key,
        fingerprint(subject, PREDICATE, claim.object),
        f"there were too many memories in {tier}: it replaces {len(victims)} of them",
        valid=span,
        opens=(opened,),
    )
