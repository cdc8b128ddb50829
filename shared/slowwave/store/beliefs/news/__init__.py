"""News of matters (reported changes) in the store: the words that find the affected beliefs, and earlier reports."""

import uuid
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row

from slowwave.core.beliefs.wording import asserted, called
from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.reported_changes import head, is_news
from slowwave.core.contradiction.standing import BeliefMatter
from slowwave.core.contradiction.stemming import words_of
from slowwave.core.contradiction.values import says_which
from slowwave.core.fold import Fold
from slowwave.domain.claim import Claim
from slowwave.store.beliefs import original_claims
from slowwave.store.direct import send
from slowwave.store.fingerprints import Fingerprinter
from slowwave.store.policy import registry_of
from slowwave.store.statements import sql


def keep_words(
    connection: Connection, scope: uuid.UUID, opened: Sequence[tuple[int, BeliefMatter]], prints: Fingerprinter
) -> None:
    """Store the words of beliefs that were opened, by belief number, if a reported change may affect them."""
    matters = Matters(registry_of(connection))
    words = sorted({(prints.word(word), belief) for belief, told in opened for word in matters.words(told)})
    if words:
        send(
            connection,
            sql("beliefs/news/keep"),
            {"scope": scope, "words": [word for word, _ in words], "beliefs": [belief for _, belief in words]},
        )


def worded(
    connection: Connection, scope: uuid.UUID, claims: Sequence[Claim], prints: Fingerprinter
) -> Sequence[Row[Any]]:
    """Return the open versions of beliefs that contain words of the reported changes among *claims*, or of corrections
    that say by their words what they correct.
    """
    news = [claim for claim in claims if is_news(claim) or says_which(claim)]
    if not news:
        return ()
    matters = Matters(registry_of(connection))
    named = (words_of(one.object) if one.effect in ("", "change") else [head(one)] for one in news)
    heads = {word for words in named for word in words}
    words = {prints.word(word) for word in matters.named(heads)}
    wanted = {"scope": scope, "words": sorted(words), "since": min(claim.valid_from for claim in news)}
    return connection.exec_driver_sql(sql("beliefs/news/worded"), wanted).all()


def recall_news(connection: Connection, scope: uuid.UUID, fold: Fold, claims: Sequence[Claim]) -> None:
    """Load into *fold* the reported changes that may have ended what *claims* assert about earlier times."""
    told = [claim for claim in claims if claim.mode in ("assert", "correct")]
    if not told:
        return
    matters, name = Matters(registry_of(connection)), called(fold.held) or fold.called
    said = [asserted(claim, matters.predicates, name) for claim in told]
    words = matters.named(frozenset[str]().union(*map(matters.words, said)))
    prints = {fold.matter(word) for word in words}
    wanted = {"scope": scope, "prints": sorted(prints), "since": min(claim.valid_from for claim in told)}
    for row in connection.exec_driver_sql(sql("beliefs/news/told"), wanted):
        fold.remember(news_of(row))


def news_of(row: Any) -> Claim:
    """Return the reported change in a ledger row, as it was stated."""
    return original_claims.claim(
        row.payload, mode="end", confidence=row.confidence, rule=row.rule, sources=row.sources, since=row.valid_from
    )
