"""The pack of encyclopaedic sentences: what is told later is so."""

from pathlib import Path

from slowwave.rules import load_pack

UPDATES = Path(__file__).parents[2] / "packs" / "updates"


def test_the_pack_of_updates_keeps_its_cases() -> None:
    pack = load_pack(UPDATES)

    assert [str(failed) for failed in pack.failures()] == []
    assert all(pack.predicates.of(name).single_valued for name in ("capital", "the_head_coach"))


def test_the_full_stop_of_a_company_ends_no_sentence() -> None:
    pack = load_pack(UPDATES)
    (case, *_) = [case for case in pack.cases if "whole name" in case.it]

    assert case.believe == ["Acme Inc. chief_executive_officer Ada Lind"]
