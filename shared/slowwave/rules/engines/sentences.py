"""The engine `sentences`: statements out of what users say, one episode at a time. A pack of it needs no rules."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice

from slowwave.domain.claim import CONFIDENCE, Certainty, Claim, Said, Source
from slowwave.domain.episode import StoredEpisode
from slowwave.rules.dates import Period
from slowwave.rules.engines.engine import Files
from slowwave.rules.pack_schema import ManifestPart
from slowwave.rules.predicates import Predicates
from slowwave.rules.statements.back.recent import in_talk
from slowwave.rules.statements.forgetting import Wish, wishes
from slowwave.rules.statements.reader import statements
from slowwave.rules.statements.sentences import Statement

MOST_CLAIMS = 100
"""Of one episode: a text that claims more is not somebody talking."""
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
    "answers": "answers",
}
"""The names under which statements are told apart, by how they tell of the speaker."""
_HEDGED = re.compile(r"\b(?:maybe|perhaps|probably|possibly|might|not sure|thinks?|guess)\b", re.IGNORECASE)


def build(files: Files[ManifestPart]) -> "StatementReader":
    """Return the reader of statements for a pack."""
    return StatementReader(files.manifest, _read, looks_back=True)


def _read(episodes: Sequence[StoredEpisode], talk: Sequence[StoredEpisode]) -> Iterator[Iterable[Statement]]:
    """Return what is told in each of *episodes*, which belong to a *talk*."""
    return (statements(turn, turns) for turn, turns in in_talk(episodes, talk))


def again(reader: "StatementReader", _predicates: Predicates) -> "StatementReader":
    """Return *reader*: it knows no predicates."""
    return reader


class StatementReader:
    """A `Reader` of statements, in the name of the pack of a *manifest*.

    *read* gives what the speaker of each of some episodes said of themselves; where it *looks back* it heeds the talk
    that they belong to. *load*, if there is anything to load, is called before. *made_by* says what it reads with,
    beyond its own code.
    """

    def __init__(
        self,
        manifest: ManifestPart,
        read: Callable[[Sequence[StoredEpisode], Sequence[StoredEpisode]], Iterable[Iterable[Statement]]],
        *,
        looks_back: bool = False,
        made_by: str = "",
        load: Callable[[], None] = lambda: None,
    ) -> None:
        self.pack, self.version, self.made_by, self.load = manifest.pack, manifest.version, made_by, load
        self.looks_back, self._read = looks_back, read

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of *episodes*, one episode after the other, each in the order of its words."""
        return self.propose_after((), episodes)

    def propose_after(self, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of *episodes*, likewise, which may point at the turns *before* and answer them."""
        told = [episode for episode in episodes if (episode.role, episode.kind) == ("user", "message")]
        talk = sorted({turn.position: turn for turn in (*before, *episodes)}.values(), key=lambda turn: turn.position)
        read = zip(told, self._read(told, talk), strict=True)
        return [claim for episode, found in read for claim in self._claims(episode, found)]

    def _claims(self, episode: StoredEpisode, told: Iterable[Statement]) -> list[Claim]:
        found: list[Statement | Wish] = list(islice(told, MOST_CLAIMS))
        found += islice(wishes(episode), MOST_CLAIMS)
        ordered = sorted(found, key=lambda one: (one.start, one.end))
        return [self._claim(one, number, episode) for number, one in enumerate(ordered[:MOST_CLAIMS])]

    def _claim(self, one: Statement | Wish, ordinal: int, episode: StoredEpisode) -> Claim:
        said = one.what if isinstance(one, Wish) else one
        mode: Said = "forget" if isinstance(one, Wish) else "assert"
        certainty: Certainty = "uncertain" if said and _HEDGED.search(said.text) else "explicit"
        spans = [*(one.spans if isinstance(one, Statement) else ()), (one.start, one.end)]
        first, *more = [Source(episode.id, episode.key, episode.position, *span) for span in spans]
        beside = one.beside if isinstance(one, Statement) else ()
        period, occurred = said.period if said else None, episode.occurred
        return Claim(
            subject=one.subject,
            predicate=said.predicate if said else "*",
            object=(said.text if mode == "forget" else said.object) if said else "",
            mode=mode,
            certainty=certainty,
            confidence=CONFIDENCE[certainty],
            valid_from=period.start if period and mode == "assert" and _begun(said, period, occurred) else occurred,
            valid_to=None,
            single_valued=False,
            rule=f"{self.pack}/{'forget' if mode == 'forget' or said is None else _KINDS[said.kind]}@{self.version}",
            session=episode.session,
            source=first,
            ordinal=ordinal,
            more_sources=(*more, *beside),
            form="statement",
            text=said.text if said and mode == "assert" else "",
            tense=said.tense if said else "current",
        )


def _begun(said: Statement | None, period: Period, occurred: datetime) -> bool:
    """Return whether what was said began with its days; what is planned for days under way begins when it is said."""
    ahead = said is not None and said.tense == "future" and period.end > occurred
    return period.start < occurred and not ahead
