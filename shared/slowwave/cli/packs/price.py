"""The price of letting a model read episodes, before anybody asks it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from slowwave.domain.episode import StoredEpisode
from slowwave.rules.reader.pack import ReaderPack
from slowwave.wiring import Settings


@dataclass(frozen=True, slots=True)
class Price:
    """Requests, tokens and money for *episodes*: what prompts cost, and what replies cost at most.

    *money* is in the currency of the settings' prices; they are *priced* where they say any.
    """

    episodes: int
    requests: int
    prompt_tokens: int
    reply_tokens: int
    money: float
    priced: bool

    @classmethod
    def of_all(cls, prices: Iterable["Price"]) -> "Price":
        """Return the sum of *prices*."""
        each = list(prices)
        return cls(
            sum(one.episodes for one in each),
            sum(one.requests for one in each),
            sum(one.prompt_tokens for one in each),
            sum(one.reply_tokens for one in each),
            sum(one.money for one in each),
            any(one.priced for one in each),
        )


def price_of(pack: ReaderPack, episodes: Sequence[StoredEpisode], settings: Settings) -> Price:
    """Return what it costs at most to have *pack* read *episodes*, were none of its requests asked before."""
    size = settings.window
    chunks = [
        chunk
        for start in range(0, len(episodes), size)
        for chunk in pack.plan(episodes[start : start + size], (), (), ())
    ]
    asked, replied = sum(one.prompt_tokens for one in chunks), sum(one.most_tokens for one in chunks)
    prompt, reply = settings.model_prompt_price, settings.model_reply_price
    money = (asked * prompt + replied * reply) / 1_000_000
    return Price(len(episodes), len(chunks), asked, replied, money, bool(prompt or reply))
