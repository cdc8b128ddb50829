"""Statements and requests to forget them, as claims of a pack."""

import re
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from slowwave.domain.claim import CONFIDENCE, Certainty, Claim, Said, Source
from slowwave.domain.episode import StoredEpisode
from slowwave.rules.dates import Period
from slowwave.rules.statements.forgetting import Wish, wishes
from slowwave.rules.statements.reader import statements
from slowwave.rules.statements.sentences import Statement
from slowwave.rules.statements.slots import HOME, slot_of

MOST_CLAIMS = 100
"""The most claims of one episode: a text with more is not talk."""
_KINDS = {
    "i": "did",
    "we": "did-with-others",
    "elided": "left-out",
    "finds": "judges",
    "moved": "came-to-think",
    "shows": "has-to-show",
    "my": "of-theirs",
    "holds": "holds",
    "other": "has-to-do-with",
    "thing": "of-a-thing",
}
"""The rule names of statements, by how they refer to the speaker."""
_OF_SELF = ("i", "we", "elided")
"""The kinds of statements about the speaker."""
_HEDGED = re.compile(r"\b(?:maybe|perhaps|probably|possibly|might|not sure|thinks?|guess)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class StatementClaims:
    """Reads statements and makes claims under the name of a *pack* and its *version*."""

    pack: str
    version: int

    def claims(self, episode: StoredEpisode) -> list[Claim]:
        """Return the statements of *episode* and its requests to forget, in order."""
        found: list[Statement | Wish] = list(islice(statements(episode), MOST_CLAIMS))
        found += islice(wishes(episode), MOST_CLAIMS)
        ordered = sorted(found, key=lambda one: (one.start, one.end))
        return [self._claim(one, number, episode) for number, one in enumerate(ordered[:MOST_CLAIMS])]

    def _claim(self, one: Statement | Wish, ordinal: int, episode: StoredEpisode) -> Claim:
        said = one.what if isinstance(one, Wish) else one
        mode: Said = "forget" if isinstance(one, Wish) else "assert"
        certainty: Certainty = "uncertain" if said and _HEDGED.search(said.text) else "explicit"
        spans = [*(one.spans if isinstance(one, Statement) else ()), (one.start, one.end)]
        first, *more = [Source(episode.id, episode.key, episode.position, *span) for span in spans]
        period, occurred = said.period if said else None, episode.occurred
        slot = slot_of(said.text) if said and mode == "assert" else None
        if said and (said.kind not in _OF_SELF if slot == HOME else said.tense == "past"):
            slot = None
        return Claim(
            subject=one.subject,
            predicate=slot or (said.predicate if said else "*"),
            object=(said.text if mode == "forget" else said.object) if said else "",
            mode=mode,
            certainty=certainty,
            confidence=CONFIDENCE[certainty],
            valid_from=period.start if period and mode == "assert" and _begun(said, period, occurred) else occurred,
            valid_to=None,
            single_valued=slot is not None,
            rule=f"{self.pack}/{'forget' if mode == 'forget' or said is None else _KINDS[said.kind]}@{self.version}",
            session=episode.session,
            source=first,
            ordinal=ordinal,
            more_sources=tuple(more),
            form="statement",
            text=said.text if said and mode == "assert" else "",
            tense=said.tense if said and slot != HOME else "current",
        )


def _begun(statement: Statement | None, period: Period, occurred: datetime) -> bool:
    """Return whether a statement began with its days; a plan for days under way begins when it is said."""
    ahead = statement is not None and statement.tense == "future" and period.end > occurred
    return period.start < occurred and not ahead
