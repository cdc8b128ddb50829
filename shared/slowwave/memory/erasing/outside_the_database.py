"""Erasure outside the database: in the broker, in the cache, and in the outbox."""

import json
import time
from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from slowwave.broker.queue import MALFORMED, QUEUE, RECEIPTS, answered, redis_client
from slowwave.core.erasure import mentions
from slowwave.domain.erasure import Wanted
from slowwave.domain.receipt import Spooled
from slowwave.errors import Unavailable
from slowwave.runtime import clock
from slowwave.store.erasure.orders import Conversation
from slowwave.wiring import Parts

if TYPE_CHECKING:
    import redis


UNACKED = "unacked"
"""The Redis hash with the messages that workers have taken. `unacked_index` has the times when messages were taken."""

REWRITE_SECONDS, POLL_SECONDS = 60.0, 0.05
Names = Callable[[str], bool]


def forget_messages(broker_url: str, names: Names) -> int:
    """Remove messages from the broker if *names* returns True for them; return their number. Raises `Unavailable`.

    The function also removes the reasons of refusals from the confirmations in the broker, because a reason may quote
    an episode. The broker's append-only file keeps the removed data until `rewrite_log`.
    """
    with answered(), redis_client(broker_url) as client:
        gone = sum(_from_list(client, name, names) for name in (QUEUE, MALFORMED))
        gone += _from_taken(client, names)
        for name in client.scan_iter(match=f"{RECEIPTS}*"):
            _without_reasons(client, name)
        return gone


def rewrite_log(broker_url: str) -> None:
    """Make the broker rewrite its append-only file without removed data, and wait until it has finished.

    Raises `Unavailable` if the broker is unreachable, or needs more than `REWRITE_SECONDS`.
    """
    with answered(), redis_client(broker_url) as client:
        client.bgrewriteaof()
        end = clock.monotonic() + REWRITE_SECONDS
        while any(client.info("persistence")[f"aof_rewrite_{state}"] for state in ("in_progress", "scheduled")):
            if clock.monotonic() >= end:
                raise Unavailable("the broker is still rewriting its file", hint="ask again in a moment")
            time.sleep(POLL_SECONDS)


def _from_list(client: "redis.Redis", name: str, names: Names) -> int:
    messages = cast(list[str], client.lrange(name, 0, -1))
    gone: int = sum(client.lrem(name, 1, each) for each in messages if names(each))
    return gone


def _from_taken(client: "redis.Redis", names: Names) -> int:
    taken = cast(dict[str, str], client.hgetall(UNACKED))
    tags = [tag for tag, message in taken.items() if names(message)]
    if tags:
        client.hdel(UNACKED, *tags)
        client.zrem(f"{UNACKED}_index", *tags)
    return len(tags)


def _without_reasons(client: "redis.Redis", name: str) -> None:
    for number, line in enumerate(cast(list[str], client.lrange(name, 0, -1))):
        for pair in _refusal(line):
            client.lset(name, number, json.dumps([pair[0], "refused"]))


def _refusal(line: str) -> Iterator[list[Any]]:
    try:
        pair = json.loads(line)
    except ValueError:
        return
    if isinstance(pair, list) and len(pair) == 2 and pair[1] not in (None, "refused"):
        yield pair


def forget_outside_the_database(
    parts: Parts, tenant: str, wanted: Wanted, conversations: Collection[Conversation]
) -> bool:
    """Erase content from the cache, the broker and the outbox.

    Returns False if the cache or the broker could not be searched.
    """
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
