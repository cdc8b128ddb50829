"""Each matter of a sentence gives one claim, whichever rules match, and does not confirm itself."""

from collections import Counter

import pytest

from slowwave.core.fold import Fold
from slowwave.domain.claim import Claim
from tests.unit.rules.rulepacks import EVERYDAY, episode
from tests.unit.tables import table

ROWS = table(__file__)


def facts(text: str) -> list[tuple[str, str]]:
    """Return the facts from *text*: the predicate, or `-` for a statement, and the sentence."""
    fold = Fold(predicates=EVERYDAY.predicates)
    decisions = [one for claim in EVERYDAY.propose([episode(text)]) for one in fold.decide(claim)]
    assert "already known" not in [one.reason for one in decisions]
    opened = [one.opens[0] for one in decisions if one.opens]
    return [("-" if one.form == "statement" else one.predicate, one.text) for one in opened]


@pytest.mark.parametrize(("text", "held"), ROWS["two_packs_make_one_fact_of_one_sentence"])
def test_two_packs_make_one_fact_of_one_sentence(text: str, held: list[list[str]]) -> None:
    assert sorted(facts(text)) == sorted(map(tuple, held))


def test_the_order_of_claims_is_that_of_their_words() -> None:
    every = EVERYDAY.propose([episode("I built a loom in Ghent. I live in Oslo. My aunt wove a blue shawl.")])
    claims = [claim for claim in every if not claim.effect]

    assert [claim.form for claim in claims] == ["statement", "typed", "statement"]
    assert [claim.source.start for claim in every] == sorted(claim.source.start for claim in every)
    assert [claim.ordinal for claim in every] == list(range(len(every)))


def said(claim: Claim) -> tuple[str, str, str, str, int]:
    """Return the content of a claim with a predicate, and its turn."""
    return claim.subject, claim.predicate, claim.object, claim.mode, claim.source.position


def test_a_pack_without_statements_reads_the_same_typed_claims() -> None:
    turns = [one for case in EVERYDAY.cases for one in case.stored]
    told = [one.model_copy(update={"position": number}) for number, one in enumerate(turns, 1)]
    typed = EVERYDAY.without_statements().propose(told)

    beside = [one for one in EVERYDAY.propose(told) if one.form == "typed"]
    assert Counter(map(said, typed)) == Counter(map(said, beside))
    words = {(one.source.position, one.source.start, one.source.end) for one in typed}
    for one in beside:  # merged with its statement, it cites the words of both
        assert one.text or (one.source.position, one.source.start, one.source.end) in words
    assert EVERYDAY.without_statements().failures() == []
