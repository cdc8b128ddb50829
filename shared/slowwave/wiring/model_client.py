"""The client of model calls: the provider from the settings, and the request queue."""

from collections.abc import Mapping, Sequence

from slowwave.domain.model_calls import Answer, Message
from slowwave.errors import Unavailable
from slowwave.inference.providers import OpenAIProtocol, checked_url
from slowwave.jobs.model_calls.ask import RequestSender
from slowwave.ports.model_calls import CallTerms, Provider, SendableExtractor
from slowwave.settings import Settings, secret
from slowwave.store.database import Database
from slowwave.store.model_calls.call_queue import PostgresCallQueue
from slowwave.store.request_batches import FILE

MICROS = 1_000_000


class NoLocalProvider:
    """A `Provider` that sends no requests: requests are exported to files, and replies are imported from files."""

    name = FILE

    def ask(
        self, messages: Sequence[Message], schema: Mapping[str, object], *, most_tokens: int, timeout_seconds: float
    ) -> Answer:
        del messages, schema, most_tokens, timeout_seconds  # nothing is sent
        raise Unavailable(
            "the replies to this model come from a file", hint="`slowwave model replies FILE` imports the replies"
        )


def model_of(settings: Settings, preset: str | None) -> str | None:
    """Return the model with which packs read: the model of the settings, or else the *preset* if an endpoint is set.

    A key without an endpoint is not enough, because the default provider may not offer the preset's model.
    """
    named = settings.extraction_model or settings.model
    return named or (preset if "model_url" in settings.model_fields_set else None)


def provider_of(settings: Settings, preset: str | None = None) -> Provider | None:
    """Return the provider of the model with which packs read; None if this process sends no requests."""
    model = model_of(settings, preset)
    if model is None or (settings.model is None and not _endpoint(settings)):
        return None
    return OpenAIProtocol(checked_url(settings.model_url), model, secret(settings.model_key) or "")


def _endpoint(settings: Settings) -> bool:
    """Return whether the settings name a model endpoint or a key."""
    return settings.model_key is not None or "model_url" in settings.model_fields_set


def terms_of(settings: Settings, provider: str) -> CallTerms:
    """Return the terms of calls to *provider*: limits, budget and prices in millionths per token."""
    money = settings.model_money_a_day
    return CallTerms(
        provider,
        slots=settings.model_slots,
        lease_seconds=settings.lease_seconds,
        timeout_seconds=settings.model_timeout_seconds,
        cap_tokens=settings.model_tokens_a_day,
        cap_micros=None if money is None else round(money * MICROS),
        prompt_price=settings.model_prompt_price,
        reply_price=settings.model_reply_price,
    )


def request_sender(
    database: Database, settings: Settings, provider: Provider, models: Mapping[str, SendableExtractor]
) -> RequestSender:
    """Return the sender of requests to *provider*, for the packs of *models*."""
    terms = terms_of(settings, provider.name)
    return RequestSender(PostgresCallQueue(database, terms), provider, models, terms)
