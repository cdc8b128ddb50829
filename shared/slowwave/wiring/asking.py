"""The asker of models here: the provider of the settings, and the desk as it sees it."""

from collections.abc import Mapping

from slowwave.inference.providers.openai_protocol import OpenAIProtocol, checked_url
from slowwave.jobs.desk.ask import Asker
from slowwave.ports.desk import ModelExtractor, Provider, Terms
from slowwave.settings import Settings, secret
from slowwave.store.calls.calls import PostgresCalls
from slowwave.store.database import Database

MICROS = 1_000_000


def provider_of(settings: Settings) -> Provider | None:
    """Return who answers for the model of the settings; None where they name none."""
    if settings.model is None:
        return None
    return OpenAIProtocol(checked_url(settings.model_url), settings.model, secret(settings.model_key) or "")


def terms_of(settings: Settings, provider: str) -> Terms:
    """Return how *provider* is asked. A price for a million tokens is so many millionths for one."""
    money = settings.model_money_a_day
    return Terms(
        provider,
        slots=settings.model_slots,
        lease_seconds=settings.lease_seconds,
        timeout_seconds=settings.model_timeout_seconds,
        cap_tokens=settings.model_tokens_a_day,
        cap_micros=None if money is None else round(money * MICROS),
        prompt_price=settings.model_prompt_price,
        reply_price=settings.model_reply_price,
    )


def asker(database: Database, settings: Settings, provider: Provider, models: Mapping[str, ModelExtractor]) -> Asker:
    """Return what asks *provider* for the packs of *models*."""
    terms = terms_of(settings, provider.name)
    return Asker(PostgresCalls(database, terms), provider, models, terms)
