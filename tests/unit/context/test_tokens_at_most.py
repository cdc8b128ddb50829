"""The estimate for budgets errs on the high side of the shipped tokenizer, in every script, and is quick."""

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.tokens import tokens, tokens_at_most
from slowwave.inference.static_embedder import WEIGHTS, _Table
from tests.unit.growth import AT_MOST, growth

SAMPLES = [
    "I work at Equinor, and my physician forbade penicillin in March.",
    "She said the strengths of it are in the details, which would not do for me.",
    "Ich möchte gerne wissen, ob die Straßenbahn heute pünktlich fährt.",
    "Eilen illalla söimme lohikeittoa ja juttelimme kesämökistä.",
    "Wczoraj przyszła do nas ciocia i przyniosła pyszny sernik.",
    "Dün akşam balkonda oturup çay içtik ve eski günlerden konuştuk.",
    "Chúng tôi đã chuyển đến Hà Nội vào tháng trước.",
    "Вчера мы переехали в новую квартиру у реки.",
    "Χθες το βράδυ φάγαμε σε μια ταβέρνα δίπλα στη θάλασσα.",
    "אתמול עברנו לדירה חדשה ליד הנהר.",
    "انتقلنا أمس إلى شقة جديدة بجانب النهر.",
    "कल हम नदी के पास एक नए घर में चले गए।",
    "เมื่อวานเราย้ายไปอยู่บ้านใหม่ริมแม่น้ำ",
    "昨天我们搬到了河边的新公寓。",
    "昨日、川沿いの新しいアパートに引っ越しました。",
    "어제 우리는 강가의 새 아파트로 이사했습니다.",
    "👩‍👩‍👧‍👦🎉 jupp!! ¯\\_(ツ)_/¯ ≥ 3½ €",
    "def fit(self, *, max_tokens: int = 4_000) -> PromptContext:  # fmt: skip",
    "SELECT position, content FROM episodes WHERE scope = %(scope)s ORDER BY position;",
    '{"role": "user", "content": "hi\\n", "ids": [1, 22, 333], "x": null}',
    "https://example.org/a/b?q=x%20y&token=eyJhbGciOiJIUzI1NiJ9.e30.ZRrHA1JJJW8opsbCGfG_HACGpVUMN_a9IV7pAx_Zmeo",
    "550e8400-e29b-41d4-a716-446655440000 0xDEADBEEF 10.0.0.1:5432 2026-03-02T12:00:00Z 1,234,567.89",
]


@pytest.fixture(scope="module")
def shipped() -> Callable[[str], int]:
    """The number of tokens of the shipped tokenizer."""
    tokenizer = _Table(WEIGHTS)._tokens
    return lambda text: len(tokenizer(text))


PIECES = st.sampled_from(SAMPLES) | st.sampled_from([word for sample in SAMPLES for word in sample.split()])


@given(st.lists(PIECES, min_size=3, max_size=30), st.sampled_from([" ", "\n", ", "]))
def test_the_estimate_is_never_below_the_shipped_tokenizers_count(
    shipped: Callable[[str], int], pieces: list[str], between: str
) -> None:
    text = between.join(pieces)

    assert tokens_at_most(text) >= shipped(text)


@pytest.mark.parametrize("text", ["I lohikeittoa", "for, pyszny, oturup", '昨天我们搬到了河边的新公寓。 I "ids":'])
def test_one_english_word_does_not_make_a_line_english(shipped: Callable[[str], int], text: str) -> None:
    assert tokens_at_most(text) >= shipped(text)


@given(st.text(st.characters(exclude_categories=["Ll", "Lu", "Lm", "Mn", "Cs"]), max_size=200))
def test_characters_of_no_language_are_counted_one_by_one(shipped: Callable[[str], int], text: str) -> None:
    assert tokens_at_most(text) >= shipped(text) - len(text) // 2


@pytest.mark.parametrize("text", SAMPLES)
def test_each_script_is_counted_high_but_never_higher_than_its_characters(
    shipped: Callable[[str], int], text: str
) -> None:
    letters = unicodedata.normalize("NFD", text)

    assert shipped(text) <= tokens_at_most(text) <= len(letters)


def test_english_talk_is_counted_at_most_half_as_much_again(shipped: Callable[[str], int]) -> None:
    talk = " ".join(SAMPLES[:2]) * 50

    assert shipped(talk) <= tokens_at_most(talk) <= 1.5 * shipped(talk)
    assert tokens(talk) < tokens_at_most(talk)


def test_a_text_takes_as_many_tokens_as_its_lines() -> None:
    assert tokens_at_most("\n".join(SAMPLES)) == sum(map(tokens_at_most, SAMPLES))


def test_a_prompt_of_400000_characters_takes_twice_as_long_to_count_as_one_of_200000() -> None:
    assert len(prompt(1)) == pytest.approx(200_000, rel=0.01)
    assert growth(tokens_at_most, prompt, 1, 2) <= AT_MOST


def prompt(size: int) -> str:
    return "Be kind to the user. " * (9_500 * size)
