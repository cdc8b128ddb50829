"""The asker of models here: the provider of the settings, and the desk as it sees it."""

from collections.abc import Mapping, Sequence

from slowwave.domain.model.chunk import Answer, Message
from slowwave.errors import Unavailable
from slowwave.inference.providers.openai_protocol import OpenAIProtocol
from slowwave.inference.providers.posting import checked_url
from slowwave.jobs.desk.ask import Asker
from slowwave.ports.desk import Asking, Provider, Terms
from slowwave.settings import Settings, secret
from slowwave.store.batches.batches import FILE, PostgresBatches
from slowwave.store.calls.at_once import PostgresAtOnce
from slowwave.store.calls.calls import PostgresCalls
from slowwave.store.database import Database

MICROS = 1_000_000


class Elsewhere:
    """A `Provider` that nobody can ask: what it is asked is handed out in a file, and so are its replies."""

    name = FILE

    def ask(
        self, messages: Sequence[Message], schema: Mapping[str, object], *, most_tokens: int, timeout_seconds: float
    ) -> Answer:
        del messages, schema, most_tokens, timeout_seconds  # nobody is asked
        raise Unavailable("this is answered elsewhere", hint="`slowwave model replies FILE` takes the replies")


def model_of(settings: Settings, preset: str | None) -> str | None:
    """Return the model that packs read with: the settings', else the *preset*'s where they say who is asked.

    A key alone does not: it would be sent to whoever is asked by default, who need not know the preset's model.
    """
    named = settings.extraction_model or settings.model
    return named or (preset if "model_url" in settings.model_fields_set else None)


def provider_of(settings: Settings, preset: str | None = None) -> Provider | None:
    """Return who answers for the model that packs read with; None where nobody is asked from here."""
    model = model_of(settings, preset)
    if model is None or (settings.model is None and not _endpoint(settings)):
        return None
    return OpenAIProtocol(checked_url(settings.model_url), model, secret(settings.model_key) or "")


def _endpoint(settings: Settings) -> bool:
    """Return whether the settings say where, or under which key, a model is asked."""
    return settings.model_key is not None or "model_url" in settings.model_fields_set


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


def batches(database: Database, settings: Settings) -> PostgresBatches:
    """Return what hands requests out in files, on the terms of the settings."""
    return PostgresBatches(database, terms_of(settings, FILE))


def calls_elsewhere(database: Database, settings: Settings) -> PostgresCalls:
    """Return the calls whose replies come in files."""
    return PostgresCalls(database, terms_of(settings, FILE))


def asker(database: Database, settings: Settings, provider: Provider, models: Mapping[str, Asking]) -> Asker:
    """Return what asks *provider* for the packs of *models*."""
    terms = terms_of(settings, provider.name)
    return Asker(PostgresCalls(database, terms), provider, models, terms)


def at_once(database: Database, settings: Settings, provider: Provider) -> PostgresAtOnce:
    """Return the calls of *provider* that somebody waits for."""
    return PostgresAtOnce(database, terms_of(settings, provider.name))
