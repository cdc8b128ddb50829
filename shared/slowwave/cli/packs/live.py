"""The cases of a pack put to the model of the settings: `slowwave rules check --live`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slowwave.errors import Incorrect
from slowwave.ports.desk import Provider
from slowwave.rules.lifecycle import choose_lifecycle
from slowwave.rules.reader.pack import ReaderPack
from slowwave.wiring import Settings
from slowwave.wiring.asking import provider_of


@dataclass(frozen=True, slots=True)
class Replied:
    """A model's replies to the requests of a pack's cases, by the case, and how many tokens they took."""

    replies: Mapping[str, Sequence[str]]
    prompt_tokens: int
    reply_tokens: int


def somebody_to_ask(settings: Settings) -> Provider:
    """Return who answers for the model that packs read with. Raises `Incorrect` where nobody does."""
    provider = provider_of(settings, choose_lifecycle(settings.preset, settings.rules).extraction_model)
    if provider is None:
        hint = "set SLOWWAVE_MODEL, and SLOWWAVE_MODEL_URL and SLOWWAVE_MODEL_KEY as its provider needs them"
        raise Incorrect("there is no model to ask", hint=hint)
    return provider


def replied(pack: ReaderPack, provider: Provider, settings: Settings) -> Replied:
    """Return what *provider* replies to the cases of *pack*, each of its requests asked once. Raises `Unavailable`."""
    replies: dict[str, list[str]] = {}
    prompt = reply = 0
    for case in pack.cases:
        for chunk in pack.plan(case.episodes, [], [], []):
            words = chunk.words
            answer = provider.ask(
                words.messages,
                words.schema,
                most_tokens=chunk.most_tokens,
                timeout_seconds=settings.model_timeout_seconds,
            )
            replies.setdefault(case.it, []).append(answer.text)
            prompt += answer.prompt_tokens or chunk.prompt_tokens
            reply += answer.reply_tokens or len(answer.text) // 4 + 1
        replies.setdefault(case.it, [])
    return Replied(replies, prompt, reply)
