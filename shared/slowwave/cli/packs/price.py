"""The price of letting a model read episodes, before anybody asks it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model.chunk import Chunk
from slowwave.rules.reader.pack import ReaderPack
from slowwave.wiring import Settings


@dataclass(frozen=True, slots=True)
class Price:
    """Requests, tokens and money for *episodes*: what prompts cost, and what replies cost at most.

    *at_hand* are replies that were paid before, and cost nothing; None where nobody looked for any. *money* is in the
    currency of the settings' prices; they are *priced* where they say any.
    """

    episodes: int
    at_hand: int | None
    requests: int
    prompt_tokens: int
    reply_tokens: int
    money: float
    priced: bool


def price_of(chunks: Iterable[Chunk], settings: Settings, *, episodes: int, at_hand: int | None = None) -> Price:
    """Return what it costs at most to ask about *chunks*, beside the replies that are *at_hand*."""
    each = list(chunks)
    asked, replied = sum(one.prompt_tokens for one in each), sum(one.most_tokens for one in each)
    prompt, reply = settings.model_prompt_price, settings.model_reply_price
    money = (asked * prompt + replied * reply) / 1_000_000
    return Price(episodes, at_hand, len(each), asked, replied, money, bool(prompt or reply))


def chunks_of(pack: ReaderPack, episodes: Sequence[StoredEpisode], *, window: int) -> list[Chunk]:
    """Return the requests of *pack* about episodes that nothing is stored of."""
    starts = range(0, len(episodes), window)
    return [chunk for start in starts for chunk in pack.plan(episodes[start : start + window], (), (), ())]
