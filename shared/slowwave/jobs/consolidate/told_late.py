"""Late episodes of a window: they occurred before episodes that were read earlier, and may change earlier decisions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.references import Telling, points_back
from slowwave.core.fold import Fold
from slowwave.core.late_arrivals import Since
from slowwave.core.late_arrivals.since import again, names, said_again, same_belief, takes_back, told_since
from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.run import Run
from slowwave.ports import RunStore

ReadAgain = Callable[[Sequence[StoredEpisode], Sequence[StoredEpisode]], list[Claim]]
"""A function that gives the claims of earlier turns, each read with the turns before it."""


@dataclass(frozen=True, slots=True)
class Late:
    """The late episode at a *position*, the time when it *occurred*, and the claims *since* that may concern it."""

    position: int
    occurred: datetime
    since: Sequence[Since]


def first_late(
    run: Run,
    store: RunStore,
    claims: Sequence[Claim],
    late: Sequence[Claim],
    occurred: Mapping[int, datetime],
    predicates: Predicates,
    read_again: ReadAgain,
) -> Late | None:
    """Return the first episode of the window whose *late* claims must be folded before known claims about later times.

    The ledger and the reviews have these known claims. News that changed nothing when it was read is found by its words
    in the turns. A belief with the same words that began later counts as a known claim, too: it repeats the late claim.
    *claims* are those of the whole window, and *occurred* has the times of its episodes by position.
    """
    matters = Matters(predicates)
    earliest = min(occurred[claim.source.position] for claim in late)
    known = store.told_since(run, earliest) if run.before > 1 else []
    pointing = any(map(points_back, [*claims, *(one.claim for one in known)]))
    fold = replace(store.held(run, predicates.reach(late), ordered=pointing), predicates=predicates)
    repeated = {fact for claim in late for fact in said_again(claim, fold)}
    told = [*known, *_unused_news(run, store, late, known, earliest, matters, read_again)]
    repeats = store.behind(run, repeated) if repeated else []
    here = [
        Since(one, occurred[one.source.position])
        for one in claims
        if takes_back(one) or predicates.of(one.predicate).ends or any(same_belief(one, claim) for claim in late)
    ]
    for position in sorted({claim.source.position for claim in late}):
        at, mine = occurred[position], [claim for claim in late if claim.source.position == position]
        since = [one for claim in mine for one in told_since(claim, at, told, matters, fold)]
        since += [one for one in repeats if one.occurred > at and one.claim.source.position < position]
        if since or any(_ahead(claim, at, here, matters, fold.told) for claim in mine):
            return Late(position, at, list(dict.fromkeys(since)))
    return None


def _unused_news(
    run: Run,
    store: RunStore,
    late: Sequence[Claim],
    known: Sequence[Since],
    earliest: datetime,
    matters: Matters,
    read_again: ReadAgain,
) -> list[Since]:
    """Return the news in turns read earlier that changed nothing then, but may concern the *late* assertions."""
    asserted = [claim for claim in late if claim.mode in ("assert", "correct")]
    words = sorted({word for claim in asserted for word in names(claim, matters)})
    if not words or run.before == 1:
        return []
    turns, before = store.turns_since(run, earliest, words)
    when = {turn.position: turn.occurred for turn in turns}
    news = read_again(before, turns) if turns else []
    return [Since(one, when[one.source.position]) for one in again(news, late, known, matters)]


def _ahead(claim: Claim, occurred: datetime, here: Sequence[Since], matters: Matters, order: Telling) -> bool:
    """Return whether an earlier claim of this window, which is not in the ledger yet, may concern a late *claim*."""
    told = [one for one in here if one.occurred > occurred and one.claim.source.position < claim.source.position]
    if claim.single_valued or takes_back(claim) or any(same_belief(one.claim, claim) for one in told):
        return bool(told)
    return bool(told_since(claim, occurred, told, matters, Fold(told=order)))
