"""Candidates: memories that may answer a question, as they were measured, and as they are ranked."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from slowwave.domain.claim import Form, Source
from slowwave.domain.episode import Role


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that may answer, as the scan has measured it.

    *similarity* is the cosine to the question and *keyword* the share of the question's words it contains, weighted
    by their rarity; both in [0, 1]. *text* and the end of an episode's own source are filled in only for what is
    returned. *speaker* is a fact's subject, *form* which form of fact it is, *of_user* tells whether it is about the
    user of its scope. *position* and *session* of a fact are those of the episode it was last drawn from; it has no
    *role*. *beside* is what other sources of candidates say of it, each by its own measure in [0, 1].
    *shares* says what each word of the question, by its number, adds to the keyword; the sum times *saturation*, which
    falls with the length of the memory, is the keyword. An episode *asks* if it does nothing else; of two with one
    *gist* the words are the same. The *ending* is the end of an episode's text.
    """

    kind: Literal["fact", "episode"]
    id: uuid.UUID
    scope: uuid.UUID
    position: int
    session: str
    occurred: datetime
    received: datetime
    age: timedelta
    speaker: str | None
    similarity: float
    keyword: float
    sources: Sequence[Source]
    text: str = ""
    confidence: float | None = None
    form: Form | None = None
    of_user: bool = False
    role: Role | None = None
    beside: Mapping[str, float] = field(default_factory=dict)
    shares: Mapping[int, float] = field(default_factory=dict)
    saturation: float = 1.0
    asks: bool = False
    gist: str | None = None
    ending: str = ""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score and the reasons for it, each in [0, 1]. *match* is the score before calibration.

    All that was believed of an outdated turn held *until* then.
    """

    candidate: Candidate
    score: float
    reasons: Mapping[str, float]
    match: float | None = None
    until: datetime | None = None
