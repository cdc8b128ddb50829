"""New facts (late facts included), and beliefs that a new fact may end. The cost depends only on the new facts."""

import json
import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.core.belief_changes import ASKS, Change, Learned
from slowwave.core.beliefs.identity import text_of
from slowwave.core.contradiction.belief_state import belief_words
from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.reconsideration import (
    COMMON,
    Ending,
    Meaning,
    Occurred,
    occurrence_order,
    pairs_to_compare,
    repeats,
)
from slowwave.core.contradiction.reported_changes import ENDING
from slowwave.core.contradiction.words import words_of
from slowwave.core.fold import Version
from slowwave.core.late_arrivals.late_claims import names
from slowwave.core.predicates.sentences import USER
from slowwave.core.time_spans import END, Span
from slowwave.domain.claim import Claim
from slowwave.domain.job_table import RECONSIDER, pack_of
from slowwave.domain.run import Run
from slowwave.store.beliefs import affected_facts
from slowwave.store.beliefs.manual_corrections import sources_of
from slowwave.store.database import Repository
from slowwave.store.fingerprints import fingerprinter
from slowwave.store.late_arrivals import claim_of, recorded_deltas, turns_since, undone_in
from slowwave.store.model_requests import turns_at
from slowwave.store.statements import execute

OWN = pack_of(RECONSIDER)
"""The pack of the job's own deltas."""
MOST_RECENT = 500
"""The maximum number of beliefs that are compared with news by meaning. The beliefs mentioned last are chosen."""
MOST = 1_000
"""The maximum number of new facts that one run reads, the latest first. A night has fewer; a first run may have any."""


def has_late_arrivals(connection: Connection, run: Run, since: datetime | str) -> bool:
    """Return whether a window with late turns was consolidated since a given time."""
    asked = {"scope": run.scope, "pack": run.pack, "since": since}
    return bool(execute(connection, "reconsideration/any_late_arrival", **asked).scalar_one())


def late_and_later_facts(
    connection: Connection, scope: uuid.UUID, news: Sequence[Version], matters: Matters
) -> tuple[set[uuid.UUID], list[Version]]:
    """Return the ids of the late facts among *news*, and the facts from later turns that packs had read before.

    A turn is later than a fact if it occurred after the turn of the fact. Only turns that share words with *news* are
    searched.
    """
    occurred = occurred_at(connection, scope, news)
    known = [one for one in news if one.position in occurred]
    words = sorted({word for one in known for word in names(one, matters)})
    if not words:
        return set(), []
    earliest = min(occurred[one.position] for one in known)
    turns = turns_since(connection, scope, max(one.position for one in known), earliest, words)
    later_turns = {
        one.fact: [
            turn.position for turn in turns if turn.position < one.position and occurred[one.position] < turn.occurred
        ]
        for one in known
    }
    positions = sorted({position for before in later_turns.values() for position in before})
    found: dict[uuid.UUID, Version] = {}
    for row in _rows(connection, "facts_at", scope, positions=positions):
        found.setdefault(row.fact, affected_facts.version(row))
    return {fact for fact, before in later_turns.items() if before}, list(found.values())


def before_endings(
    connection: Connection, scope: uuid.UUID, beliefs: Sequence[Version], causes: Collection[Version]
) -> tuple[list[Version], set[uuid.UUID], list[Ending]]:
    """Return *beliefs* as if the facts in *causes* had not ended any of them in this job, and two more collections.

    The second result has the ids of the beliefs that this job had ended. The third result has the ends of typed beliefs
    that packs made.
    """
    ids = sorted({one.ended_by for one in beliefs if one.ended_by is not None})
    by = {row.id: row for row in _rows(connection, "endings_by", scope, ids=ids)}
    over = [(one, by[one.ended_by]) for one in beliefs if one.ended_by in by]
    again = {one.position for one in causes}
    until = {one.row: row.until or END for one, row in over if row.pack == OWN and row.position in again}
    typed = [(one, row) for one, row in over if one.form == "typed" and not row.pack.startswith("_")]
    now = affected_facts.open_of_facts(connection, scope, [row.id for _, row in typed]) if typed else {}
    return (
        [replace(one, valid=Span(one.valid.start, until.get(one.row, one.valid.end))) for one in beliefs],
        {one.fact for one in beliefs if one.row in until},
        [Ending(now[row.id][0] if row.id in now else ended(one, row.id, row.position), one) for one, row in typed],
    )


def ended(earlier: Version, by: uuid.UUID, position: int) -> Version:
    """Return a version without text for the delta *by*, which ended *earlier* because of the turn at *position*."""
    return replace(earlier, fact=by, object="", text="", position=position, valid=Span(earlier.valid.end))


def occurred_at(connection: Connection, scope: uuid.UUID, facts: Iterable[Version]) -> dict[int, datetime]:
    """Return the times at which the turns of *facts* occurred, by position."""
    turns = turns_at(connection, scope, sorted({one.position for one in facts}))
    return {position: turn.occurred for position, turn in turns.items()}


def _rows(connection: Connection, name: str, scope: uuid.UUID, **asked: Sequence[Any]) -> Sequence[Any]:
    """Return the rows of the statement *name*; an empty sequence if all parameters are empty."""
    if not any(asked.values()):
        return ()
    return execute(connection, f"reconsideration/{name}", scope=scope, **asked).all()


class PostgresNewFacts(Repository):
    """The new facts of a scope. Each method is one transaction and raises `Unavailable`."""

    def learned(self, run: Run, matters: Matters) -> Learned:
        """Return the facts learned since the last successful run began, and the beliefs that these facts may end.

        The search begins one hour before that run, in case the clock was set back. While a run holds a scope, no other
        process records deltas.
        """
        with self._database.tenant(run.tenant) as connection:
            return _learned(connection, run, matters)

    def done(self, run: Run, changes: Sequence[Change]) -> set[uuid.UUID]:
        """Return the ids of those *changes* that are in the ledger or have a review.

        An uncertain change also counts if there is a review of the same episode about one of the same beliefs.
        """
        unsure = [
            {
                "id": str(one.id),
                "episode": str(one.sources[0].episode),
                "among": [str(belief.fact) for belief in one.beliefs],
            }
            for one in changes
            if one.kind in ASKS
        ]
        ids = [change.id for change in changes]
        asked = {"scope": run.scope, "pack": run.pack, "ids": ids, "unsure": json.dumps(unsure)}
        with self._database.tenant(run.tenant) as connection:
            return set(execute(connection, "reconsideration/existing_deltas", **asked).scalars())


def _learned(connection: Connection, run: Run, matters: Matters) -> Learned:
    after = _since(connection, run)
    news = learned_since(connection, run.scope, after, most=MOST)
    endings = ended_since(connection, run.scope, after, news, most=MOST)
    unmatched = _unmatched(connection, run.scope, after)
    recent = affected_facts.recently_stated(connection, run.scope, most=MOST_RECENT) if unmatched else []
    if not news and not endings:
        return Learned(unmatched=unmatched, recent=recent)
    late_facts, over = set[uuid.UUID](), set[uuid.UUID]()
    if has_late_arrivals(connection, run, after):
        known = {one.fact for one in news}
        late_facts, later_facts = late_and_later_facts(connection, run.scope, news, matters)
        news += [one for one in later_facts if one.fact not in known]
    since = min(one.valid.start for one in (*news, *(ending.news for ending in endings)))
    texts = [text_of(one) for one in (*news, *(ending.earlier for ending in endings))]
    beliefs, common = beside(connection, run.scope, texts, since, matters)
    occurred: Occurred | None = None
    if late_facts:
        beliefs, over, before = before_endings(connection, run.scope, beliefs, later_facts)
        endings += before
        occurred = occurred_at(connection, run.scope, [*news, *beliefs, *(ending.news for ending in endings)])
    pairs = sorted(pairs_to_compare(news, beliefs, matters, common, occurred))
    near = {fact for pair in pairs for fact in pair}
    for ending in endings:
        if ending.earlier.form != "typed":
            continue
        repeating = [belief.fact for belief in beliefs if repeats(belief, ending, matters)]
        near.update([ending.news.fact, *repeating] if repeating else ())
    meaning = meanings(connection, run.scope, pairs)
    sources = sources_of(connection, sorted(near))
    return Learned(
        news, beliefs, meaning, common, sources, endings, occurred, late_facts - over, over, unmatched, recent
    )


def _unmatched(connection: Connection, scope: uuid.UUID, since: datetime | str) -> list[tuple[Claim, str]]:
    """Return the claims since a given time that report an end but ended no belief, with their speakers, by position."""
    asked = {"scope": scope, "since": since, "effects": list(ENDING), "most": MOST}
    ids = set(execute(connection, "reconsideration/unmatched_news", **asked).scalars())
    if not ids:
        return []
    news = [claim_of(row) for row in recorded_deltas(connection, scope, ids - undone_in(connection, scope))]
    turns = turns_at(connection, scope, sorted({one.source.own_position for one in news}))
    found = sorted(news, key=lambda one: (one.source.position, len(one.object), one.ordinal))
    known = ((one, turns.get(one.source.own_position)) for one in found)
    return [(one, turn.speaker or USER) for one, turn in known if turn]


def ended_since(
    connection: Connection, scope: uuid.UUID, since: datetime | str, news: Iterable[Version], *, most: int
) -> list[Ending]:
    """Return the ends of facts that packs ended or replaced since a given time, in the order of the turns that end
    them.
    """
    known = {one.fact: one for one in news}
    asked = {"scope": scope, "since": since, "most": most}
    found = []
    for row in execute(connection, "reconsideration/ended_facts", **asked):
        earlier = affected_facts.version(row)
        found.append(Ending(known.get(row.ended_by) or ended(earlier, row.ended_by, row.told), earlier))
    return found


def learned_since(connection: Connection, scope: uuid.UUID, since: datetime | str, *, most: int) -> list[Version]:
    """Return the latest facts that packs learned since a given time, at most *most*, in the order of their turns.

    Facts that have ended since then are included, because such a fact may have ended other beliefs.
    """
    asked = {"scope": scope, "since": since, "most": most}
    found: dict[uuid.UUID, Version] = {}
    for row in execute(connection, "reconsideration/new_facts", **asked):
        found.setdefault(row.fact, affected_facts.version(row))
    return list(found.values())


def _since(connection: Connection, run: Run) -> datetime | str:
    """Return the start of the last successful run minus one hour, in case the clock was set back.

    Without such a run, return `-infinity`.
    """
    began = connection.exec_driver_sql(
        "SELECT started - interval '1 hour' FROM runs "
        "WHERE scope = %(scope)s AND pack = %(pack)s AND outcome = 'ok' ORDER BY run DESC LIMIT 1",
        {"scope": run.scope, "pack": run.pack},
    ).scalar_one_or_none()
    return began or "-infinity"


def beside(
    connection: Connection, scope: uuid.UUID, texts: Iterable[str], since: datetime, matters: Matters
) -> tuple[list[Version], set[str]]:
    """Return the beliefs valid after *since* that share a word with *texts*, and the words that are too common
    to search.
    """
    prints = fingerprinter(connection)
    stems = {word for text in texts for word in words_of(text)}
    by_print = {prints.word(name): word for word in stems for name in matters.names(word)}
    asked = {"scope": scope, "words": sorted(by_print), "most": COMMON}
    often = set(execute(connection, "reconsideration/common_words", **asked).scalars())
    common = {by_print[word] for word in often}
    rare = [word for word, stem in by_print.items() if stem not in common]
    wanted: dict[str, Any] = {"scope": scope, "words": sorted(rare), "since": since}
    return [affected_facts.version(row) for row in execute(connection, "beliefs/news/worded", **wanted)], common


def pairs_of(
    news: Sequence[Version],
    beliefs: Sequence[Version],
    matters: Matters,
    common: Collection[str],
    occurred: Occurred | None = None,
) -> list[tuple[uuid.UUID, uuid.UUID]]:
    """Return the pairs of new facts and earlier beliefs that share a word."""
    having: dict[str, list[Version]] = {}
    for belief in beliefs:
        for word in belief_words(belief, matters.known(belief)):
            having.setdefault(word, []).append(belief)
    return sorted({
        (one.fact, belief.fact)
        for one in news
        for word in words_of(text_of(one))
        if word not in common
        for name in matters.names(word)
        for belief in having.get(name, ())
        if occurrence_order(belief, occurred) < occurrence_order(one, occurred)
    })  # fmt: skip


def meanings(connection: Connection, scope: uuid.UUID, pairs: Sequence[tuple[uuid.UUID, uuid.UUID]]) -> Meaning:
    """Return the similarity of each pair of facts, if both have a vector in one space."""
    asked = {"scope": scope, "news": [news for news, _ in pairs], "beliefs": [belief for _, belief in pairs]}
    rows = execute(connection, "reconsideration/cosines", **asked) if pairs else ()
    return {(row.news, row.belief): float(row.cosine) for row in rows}
