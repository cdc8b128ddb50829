"""Packs checked with the configured model and against stored facts: `slowwave rules check --live`."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slowwave.cli.packs.pack_argument import AnyPack
from slowwave.errors import Incorrect
from slowwave.ports.model_calls import Provider
from slowwave.rules.lifecycle import choose_lifecycle
from slowwave.rules.model_packs.pack import ReaderPack
from slowwave.rules.predicates import PREDICATES
from slowwave.wiring import Settings, connect, join_embedded
from slowwave.wiring.cardinality_guard import places_of_packs, refused_changes
from slowwave.wiring.model_client import provider_of


@dataclass(frozen=True, slots=True)
class Replied:
    """A model's replies to the requests of a pack's cases, by case, and the tokens used."""

    replies: Mapping[str, Sequence[str]]
    prompt_tokens: int
    reply_tokens: int


def require_provider(settings: Settings) -> Provider:
    """Return the provider of the model that packs read with. Raises `Incorrect` if there is none."""
    provider = provider_of(settings, choose_lifecycle(settings.preset, settings.rules).extraction_model)
    if provider is None:
        hint = "set SLOWWAVE_MODEL, and SLOWWAVE_MODEL_URL and SLOWWAVE_MODEL_KEY as its provider needs them"
        raise Incorrect("no model is configured", hint=hint)
    return provider


def replied(pack: ReaderPack, provider: Provider, settings: Settings) -> Replied:
    """Return the replies of *provider* to the cases of *pack*, each request sent once. Raises `Unavailable`."""
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


def refused_here(settings: Settings, packs: Mapping[str, AnyPack]) -> dict[str, Incorrect]:
    """Return the error of each of *packs* that conflicts with stored facts; empty if no database runs."""
    parts = connect(settings) if settings.url is not None else join_embedded(settings)
    if parts is None:
        return {}
    with contextlib.closing(parts):
        found = refused_changes(parts.database, places_of_packs(packs.values()))
    if PREDICATES in found:
        raise found[PREDICATES]
    return found
