"""The price of reading episodes with a model, estimated before any call."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model_calls.chunk import Chunk
from slowwave.rules.model_packs.pack import ReaderPack
from slowwave.wiring import Settings


@dataclass(frozen=True, slots=True)
class Price:
    """Requests, tokens and money for *episodes*: the cost of prompts, and the maximum cost of replies.

    *at_hand* counts stored replies, which cost nothing; None if the database was not asked. *money* is in the currency
    of the configured prices; *priced* is False if no prices are set.
    """

    episodes: int
    at_hand: int | None
    requests: int
    prompt_tokens: int
    reply_tokens: int
    money: float
    priced: bool


def price_of(chunks: Iterable[Chunk], settings: Settings, *, episodes: int, at_hand: int | None = None) -> Price:
    """Return the maximum cost of requests about *chunks*; *at_hand* is the number of stored replies, which are free."""
    each = list(chunks)
    asked, replied = sum(one.prompt_tokens for one in each), sum(one.most_tokens for one in each)
    prompt, reply = settings.model_prompt_price, settings.model_reply_price
    money = (asked * prompt + replied * reply) / 1_000_000
    return Price(episodes, at_hand, len(each), asked, replied, money, bool(prompt or reply))


def chunks_of(pack: ReaderPack, episodes: Sequence[StoredEpisode], *, window: int) -> list[Chunk]:
    """Return the requests of *pack* for episodes from a file."""
    starts = range(0, len(episodes), window)
    return [chunk for start in starts for chunk in pack.plan(episodes[start : start + window], (), (), ())]
