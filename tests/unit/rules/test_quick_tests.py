"""A quick test never rejects a text in which its expression matches."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.rules.dates import finding
from slowwave.rules.regexes import QuickTest
from slowwave.rules.statements import sentences, statement_claims
from slowwave.rules.statements.words import these

PARTS = st.sampled_from(
    sorted(
        these(
            """a ago an any by day DAYS few i'm In it last lunch Me me- 3 month my next night of on Sun sunday the they
    this two
    weeks Yesterday couple team's is \u0131 week\u017f na\u00efve \u0663"""
        )
    )
)
BETWEEN = st.sampled_from([" ", "  ", ", ", "-", "_", "'", "\n", ""])
TEXTS = st.lists(st.tuples(PARTS, BETWEEN), max_size=8).map(lambda each: "".join(map("".join, each)))


@pytest.mark.parametrize(
    ("found", "quick_test"),
    [
        (finding._PHRASE, finding._PHRASES),
        (sentences._LEANS, sentences._MAY_LEAN),
        (statement_claims._FILLED, statement_claims._MAY_BE_FILLED),
    ],
    ids=["days", "leaning", "slots"],
)
@given(text=TEXTS)
def test_a_glance_never_rejects_a_text_that_matches(found: re.Pattern[str], quick_test: QuickTest, text: str) -> None:
    assert quick_test.in_(text) or found.search(text) is None
    assert [one.span() for one in quick_test.finditer(text)] == [one.span() for one in found.finditer(text)]


def test_a_glance_skips_texts_without_a_match() -> None:
    assert not finding._PHRASES.in_("the dark months of a long day")
    assert not sentences._MAY_LEAN.in_("Nora likes green tea")
    assert QuickTest(re.compile("tea", re.IGNORECASE)).in_("Nora likes green TEA")
