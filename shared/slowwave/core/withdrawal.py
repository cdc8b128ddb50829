"""Withdrawal of a belief that did not become false, but has faded or lost its source."""

import uuid
from collections.abc import Sequence
from datetime import datetime

from slowwave.core.beliefs.identity import fact_fields, identity
from slowwave.core.fold import Decision, Fingerprint, Version
from slowwave.core.time_spans import ALWAYS
from slowwave.domain.claim import Claim, Source


def withdraw(
    versions: Sequence[Version],
    *,
    id: uuid.UUID,
    rule: str,
    reason: str,
    at: datetime,
    sources: Sequence[Source],
    fingerprint: Fingerprint,
) -> Decision:
    """Return the delete delta that closes *versions*, which are the open versions of one fact, over all valid time.

    The delta cites *sources*, which are the fact's own sources (at least one). The delta does not record that the fact
    ended; therefore the fact may be learned again. A caller that repeats a withdrawal must give the same *id*.
    """
    first = versions[0]
    claim = Claim(
        **fact_fields(first),
        mode="withdraw",
        certainty="explicit",
        confidence=first.confidence,
        valid_from=at,
        valid_to=None,
        rule=rule,
        session=first.session,
        source=sources[0],
        ordinal=0,
        more_sources=tuple(sources[1:]),
    )
    return Decision(
        id,
        "delete",
        claim,
        first.key,
        fingerprint(*identity(first)),
        reason,
        about=first.fact,
        replaces=(first.fact,),
        valid=ALWAYS,
        closes=tuple(versions),
    )
