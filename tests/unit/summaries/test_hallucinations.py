"""Names and numbers that nobody said are told from those that were."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.summaries.extractive_summary import sentences
from slowwave.core.summaries.hallucinations import count_unsupported
from tests.unit.summaries.test_extractive_summary import WORDS, message

SAID = ["Ann: I moved to Oslo in 2024 with Bob. I paid 3.50 for it, at 10:30."]


@pytest.mark.parametrize(
    "line",
    [
        "Ann: moved to Oslo in 2024.",
        "user: The user moved to Oslo with Bob.",
        "user: Bob came along. They paid 3.50 at 10:30.",
        "assistant: I moved, and then I paid.",
        "BOB was in oslo.",
    ],
)
def test_a_paraphrase_without_new_names_or_numbers_is_supported(line: str) -> None:
    assert not count_unsupported([line], SAID)


@pytest.mark.parametrize(
    ("line", "made_up"),
    [
        ("Ann: moved to Bergen in 2024.", {"names": 1}),
        ("Carl moved to Oslo.", {"names": 1}),
        ("user: Carl moved to Oslo.", {"names": 1}),
        ("They left. Carl stayed.", {"names": 1}),
        ("Ann: moved to Oslo in 2025.", {"numbers": 1}),
        ("Ann: paid 3.5 for it.", {"numbers": 1}),
        ("Carl and Dora paid 7 for 8.", {"names": 2, "numbers": 2}),
    ],
)
def test_unsupported_names_and_numbers_are_counted(line: str, made_up: dict[str, int]) -> None:
    assert dict(count_unsupported([line], SAID)) == made_up


@given(st.lists(st.lists(WORDS, min_size=1).map(" ".join), max_size=5))
def test_a_quoted_line_is_supported(contents: list[str]) -> None:
    messages = [message(content, number) for number, content in enumerate(contents)]
    lines = [line.text for each in messages for line in sentences(each)]

    assert not count_unsupported(lines, [*contents, "user"])
