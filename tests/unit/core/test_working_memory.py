"""Which turns leave working memory, and what the cache calls what it keeps."""

from hypothesis import given
from hypothesis import strategies as st

from slowwave.cache import key
from slowwave.core.tokens import tokens
from slowwave.core.working_memory import eviction_count
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.domain.working_memory import Conversation, Limits, Turn

NAMES = st.text(alphabet="ab:/%*?[]{}_\\ ÄA", min_size=1, max_size=4).filter(lambda name: name == name.strip())


def turns(*sizes: int) -> list[Turn]:
    return [Turn(str(number), Episode(content="…"), size) for number, size in enumerate(sizes)]


def test_turns_within_the_limits_are_not_evicted() -> None:
    assert eviction_count(turns(*[160] * 50), Limits()) == 0


def test_one_token_too_many_evicts_the_oldest_quarter_rounded_up() -> None:
    assert eviction_count(turns(8_000, 1), Limits()) == 1
    assert eviction_count(turns(2_000, 2_000, 2_000, 2_000, 1), Limits()) == 2


def test_the_fifty_first_turn_evicts_thirteen() -> None:
    assert eviction_count(turns(*[1] * 51), Limits()) == 13


@given(st.lists(st.integers(0, 9_000), max_size=120))
def test_an_eviction_leaves_turns_within_the_limits_and_evicts_no_more_than_needed(sizes: list[int]) -> None:
    limits = Limits()
    left = eviction_count(turns(*sizes), limits)

    assert sum(sizes[left:]) <= limits.tokens
    assert len(sizes) - left <= limits.turns
    assert left <= len(sizes)


@given(st.text())
def test_a_text_is_about_a_token_for_every_four_bytes(text: str) -> None:
    assert tokens(text) * 4 - 4 < max(1, len(text.encode("utf-8", "surrogatepass"))) <= max(1, tokens(text) * 4)


@given(st.tuples(*[NAMES] * 5), st.tuples(*[NAMES] * 5))
def test_two_conversations_never_share_a_key(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    first, second = (key(Conversation(Scope(*names[:4]), names[4]), "turns") for names in (one, other))

    assert (first == second) == (one == other)
    assert first.count(":") == 6
    assert not set("*?[]{}/ \\") & set(first)
