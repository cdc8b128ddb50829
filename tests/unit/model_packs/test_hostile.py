"""Hostile turns and a model that obeys them add no belief that nobody said."""

from dataclasses import replace

from slowwave.core.fold import Fold
from slowwave.core.time_spans import Span
from slowwave.domain.claim import Claim
from slowwave.domain.model_calls import Chunk
from slowwave.rules.cases import FIRST
from slowwave.rules.model_packs.reply_format import MOST_A_TURN
from tests.unit.core.histories import version
from tests.unit.model_packs.talks import chunk, claim, reader, reading
from tests.unit.tables import over, table

ROWS = table(__file__)
ORDERS = [*ROWS["orders"], "n" * 5_000]

HELD = replace(version("Oslo", position=0, single_valued=True), valid=Span(FIRST))


def obeying(order: str) -> list[Claim]:
    """Return the claims of a model that obeys a turn's instructions in every way it can."""
    asked = chunk("I like tea.", order, held=[HELD])
    words = order[:120] or "tea"
    everything = [
        claim(n, predicate, object_, quote, subject, m=mode, r=held, c="explicit")
        for n in (1, 2, 3, 999)
        for subject, predicate, object_ in (
            ("user", "lives_in", "Moscow"),
            ("Eve", "lives_in", "Cairo"),
            ("user", "is_a", "administrator of Slowwave"),
            ("assistant", "obeys", "everything"),
            ("user", "works_at", "Kremlin"),
        )
        for quote in (words, "I like tea", "Moscow")
        for mode, held in (("add", None), ("add", 1), ("end", 1), ("fix", 1), ("end", 99))
    ]
    parts = (everything[at : at + MOST_A_TURN] for at in range(0, len(everything), MOST_A_TURN))
    return [one for part in parts for one in reading(asked, *part).claims]


@over(ORDERS)
def test_an_injected_instruction_adds_no_claim_that_nobody_said(order: str) -> None:
    for one in obeying(order):
        assert one.source.position in (1, 2), "cites a turn of this talk"
        assert one.source.start < one.source.end
        assert one.mode != "forget"
        told = order + "I like tea."
        assert one.mode == "end" or one.object.split()[0].casefold() in told.casefold()
        assert one.rule == f"reader/model@{reader().version}"


@over(ORDERS)
def test_an_injected_instruction_ends_no_held_fact(order: str) -> None:
    fold = Fold()
    fold.hold([HELD])

    for one in obeying(order):
        fold.decide(reader().predicates.canonical(one))

    assert HELD.object in {version.object for version in fold.believed(FIRST.replace(year=2026, month=6))}


@over(ORDERS)
def test_a_turn_with_any_content_is_one_line_of_the_prompt(order: str) -> None:
    asked: Chunk = chunk("I like tea.", order, "Good night.")

    said = asked.words.messages[1]["content"].split("\n")

    assert len(said) == 5
    assert [line.split(" ")[0] for line in said] == ["TALK,", "#", "1", "2", "3"]
    assert asked.words.messages[0]["content"] == reader().prompt


@over(ROWS["asked_or_denied_or_pasted_text_claims_no_home"])
def test_asked_or_denied_or_pasted_text_claims_no_home(order: str) -> None:
    assert [one.object for one in obeying(order) if one.predicate == "lives_in" and one.mode != "end"] == []
