"""Erasure outside the database: in the cache, in the broker, and in the outbox of this host."""

import json
from collections.abc import Collection
from functools import partial

from slowwave.core.erasure.mentions import mentions
from slowwave.domain.erasure.request import Wanted
from slowwave.domain.receipt import Spooled
from slowwave.errors import Unavailable
from slowwave.memory.erasing.broker import forget_messages
from slowwave.store.erasure.orders import Conversation
from slowwave.wiring import Parts


def forget_beside(parts: Parts, tenant: str, wanted: Wanted, conversations: Collection[Conversation]) -> bool:
    """Erase from the cache, the broker and the outbox; return whether all three could be searched."""
    named = partial(mentions, wanted=wanted, tenant=tenant, otherwise=parts.settings.tenant)
    done = _in_the_cache(parts, tenant, wanted, conversations)
    if parts.broker_url is not None:
        try:
            forget_messages(parts.broker_url, named)
        except Unavailable:
            done = False
    if parts.outbox is not None:
        parts.outbox.forget(partial(_is_spooled, tenant=tenant, wanted=wanted))
    return done


def _in_the_cache(parts: Parts, tenant: str, wanted: Wanted, conversations: Collection[Conversation]) -> bool:
    def leaves(user: str, agent: str, channel: str, session: str) -> bool:
        if wanted.kind == "user":
            return user == wanted.user
        if wanted.kind == "scope" and wanted.scope is not None:
            return (user, agent, channel) == (wanted.scope.user, wanted.scope.agent, wanted.scope.channel)
        return (user, agent, channel, session) in conversations

    if parts.settings.cache_url is None and parts.settings.url is not None:
        return True
    try:
        parts.cache.cache.forget(tenant, leaves)
    except Unavailable:
        return False
    return True


def _is_spooled(one: Spooled, *, tenant: str, wanted: Wanted) -> bool:
    if one.scope.tenant != tenant or (wanted.scope is not None and one.scope != wanted.scope):
        return False
    if wanted.user is not None and one.scope.user != wanted.user:
        return False
    match wanted.kind:
        case "session":
            return one.episode.get("session") == wanted.session
        case "matching":
            text = f"{json.dumps(one.episode, ensure_ascii=False)} {one.reason}"
            return (wanted.matching or "").casefold() in text.casefold()
        case "fact":
            return False
    return True
