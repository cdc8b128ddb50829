"""The packs that come with Slowwave and are not installed: each keeps its own cases."""

from pathlib import Path

import pytest

from slowwave.rules import load_pack

MORE = Path(__file__).parents[3] / "rules" / "more"


@pytest.mark.parametrize("name", ["assistant-said"])
def test_an_optional_pack_passes_its_cases_and_half_of_them_expect_no_facts(name: str) -> None:
    pack = load_pack(MORE / name)
    assert [str(failed) for failed in pack.failures()] == []
    told = [told for case in pack.cases if not case.believe for told in case.told]
    assert 2 * len(told) >= sum(len(case.told) for case in pack.cases)
