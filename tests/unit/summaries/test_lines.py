"""A summary as it is told: dated whole lines, the best of them, in as much room as there is."""

from datetime import timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.summaries.extractive_summary import informativeness, sentences
from slowwave.core.summaries.lines import fitting
from slowwave.core.tokens import tokens
from tests.conftest import NOON
from tests.unit.summaries.test_extractive_summary import WORDS, message


def test_a_line_has_its_date_in_the_speakers_time_zone() -> None:
    said = message("I moved to Oslo.", speaker="Ann")
    tokyo = NOON.replace(hour=23).astimezone(timezone(timedelta(hours=9)))

    (line,) = fitting(list(sentences(said)), {said.id: tokyo}, most=100)

    assert line.text == f"{(NOON + timedelta(days=1)).date().isoformat()} Ann: I moved to Oslo."
    assert (line.occurred, said.content[line.source.start : line.source.end]) == (tokyo, "I moved to Oslo.")


def test_a_line_with_an_erased_source_is_left_out() -> None:
    kept, gone = message("I like tea.", 1), message("I like rum.", 2)

    told = fitting([*sentences(kept), *sentences(gone)], {kept.id: kept.occurred}, most=100)

    assert [line.source.episode for line in told] == [kept.id]


@given(st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), max_size=30), st.integers(1, 200))
def test_fitting_keeps_whole_lines_in_order_and_prefers_the_best(said: list[str], most: int) -> None:
    messages = [message(content, number) for number, content in enumerate(said, 1)]
    lines = [line for each in messages for line in sentences(each)]
    occurred = {each.id: each.occurred for each in messages}

    told = fitting(lines, occurred, most=most)

    places = [line.source for line in lines]
    assert [places.index(line.source) for line in told] == sorted(places.index(line.source) for line in told)
    assert tokens("\n".join(line.text for line in told)) <= most
    all_of_them = fitting(lines, occurred, most=10**9)
    assert {line.text for line in told} <= {line.text for line in all_of_them}
    left = most - sum(tokens(line.text + "\n") for line in told)
    kept, value = {line.source for line in told}, {line.source: informativeness(line.text) for line in lines}
    for line in all_of_them:
        if line.source not in kept:
            room = left + sum(tokens(one.text + "\n") for one in told if value[one.source] < value[line.source])
            assert tokens(line.text + "\n") > room
