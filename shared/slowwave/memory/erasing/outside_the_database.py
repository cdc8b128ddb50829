"""Erasure outside of a tenant's tables: in the broker, in the cache, in the outbox, and in the canaries."""

import json
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from slowwave.broker.queue import MALFORMED, QUEUE, RECEIPTS, answered, redis_client
from slowwave.core.erasure import hearing, mentions, says
from slowwave.domain.erasure import Wanted
from slowwave.domain.night_report import NightReport
from slowwave.domain.receipt import Spooled
from slowwave.errors import Unavailable
from slowwave.night_report import Pages, require_template
from slowwave.runtime import clock
from slowwave.store import canaries
from slowwave.store.erasure.orders import Conversation
from slowwave.store.retention.legal_holds import any_in_force
from slowwave.wiring import Parts

if TYPE_CHECKING:
    import redis


UNACKED = "unacked"
"""The Redis hash with the messages that workers have taken. `unacked_index` has the times when messages were taken."""

REWRITE_SECONDS, POLL_SECONDS = 60.0, 0.05
Names = Callable[[str], bool]


def forget_messages(broker_url: str, named: Names, *, removing: bool = True) -> int:
    """Remove messages from the broker if *named* returns True for them; return their number. Raises `Unavailable`.

    The function also removes the reasons of refusals from the confirmations in the broker, because a reason may quote
    an episode; it counts those for which *named* returns True. The broker's append-only file keeps the removed data
    until `rewrite_log`. With *removing* False, the function only counts.
    """
    with answered(), redis_client(broker_url) as client:
        found = sum(_from_list(client, name, named, removing=removing) for name in (QUEUE, MALFORMED))
        found += _from_taken(client, named, removing=removing)
        for name in client.scan_iter(match=f"{RECEIPTS}*"):
            found += _reasons_in(client, name, named, removing=removing)
        return found


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


def _from_list(client: "redis.Redis", name: str, named: Names, *, removing: bool) -> int:
    messages = [each for each in cast(list[str], client.lrange(name, 0, -1)) if named(each)]
    for each in messages if removing else ():
        client.lrem(name, 1, each)
    return len(messages)


def _from_taken(client: "redis.Redis", named: Names, *, removing: bool) -> int:
    taken = cast(dict[str, str], client.hgetall(UNACKED))
    tags = [tag for tag, message in taken.items() if named(message)]
    if tags and removing:
        client.hdel(UNACKED, *tags)
        client.zrem(f"{UNACKED}_index", *tags)
    return len(tags)


def _reasons_in(client: "redis.Redis", name: str, named: Names, *, removing: bool) -> int:
    found = 0
    for number, line in enumerate(cast(list[str], client.lrange(name, 0, -1))):
        for pair in _refusal(line):
            found += named(line)
            if removing:
                client.lset(name, number, json.dumps([pair[0], "refused"]))
    return found


def _refusal(line: str) -> Iterator[list[Any]]:
    try:
        pair = json.loads(line)
    except ValueError:
        return
    if isinstance(pair, list) and len(pair) == 2 and pair[1] not in (None, "refused"):
        yield pair


@dataclass(frozen=True, slots=True)
class Outside:
    """The number of entries that a request covers, by place. *searched* is False if a place did not answer."""

    searched: bool
    counts: Counter[str]


def forget_outside_the_database(
    parts: Parts, tenant: str, wanted: Wanted, conversations: Collection[Conversation] = (), *, removing: bool = True
) -> Outside:
    """Erase content from the cache, the broker, the outbox and the canaries; return what was found.

    With *removing* False, the function only counts, and also counts the pages of the night report.
    """
    found: Counter[str] = Counter()
    searched = True
    home = parts.settings.tenant
    try:
        found["working_memory"] = _in_the_cache(parts, tenant, wanted, conversations, removing=removing)
    except Unavailable:
        searched = False
    if parts.broker_url is not None:
        named = partial(mentions, wanted=wanted, tenant=tenant, otherwise=home)
        try:
            found["messages"] = forget_messages(parts.broker_url, named, removing=removing)
        except Unavailable:
            searched = False
    if parts.outbox is not None:
        is_spooled = partial(_is_spooled, tenant=tenant, wanted=wanted)
        found["outbox"] = parts.outbox.forget(is_spooled, removing=removing)
    heard = hearing(wanted) if wanted.scope is None else None
    if heard is not None and not removing:
        found["reports"] = sum(heard(text) for pages in pages_of(parts) for text in pages.texts(tenant))
    if tenant == home and heard is not None:
        with parts.database.dispatch() as connection:
            found["canaries"] = canaries.forget(connection, heard, removing=removing)
    return Outside(searched, +found)


def pages_of(parts: Parts) -> list[Pages]:
    """Return the folders of night reports that the settings of this process name."""
    usual = parts.settings.home / "reports"
    return [Pages(folder) for folder in {usual, Path(parts.settings.reports or usual)}]


def forget_pages(parts: Parts, tenant: str, page_of: Callable[[date], NightReport] | None) -> Counter[str]:
    """Delete the pages of a tenant's night reports on this host, or write them again with the reports that *page_of*
    returns; return their number.
    """
    return +Counter(reports=sum(pages.delete(tenant, page_of) for pages in pages_of(parts)))


def require_deletable_pages(parts: Parts, tenant: str) -> int:
    """Return the number of pages that `forget_pages` will delete. Raises `Incorrect` if it could not delete them."""
    number = sum(len(pages.deletable(tenant)) for pages in pages_of(parts))
    if number:
        with parts.database.tenant(tenant) as connection:
            if any_in_force(connection):
                require_template()
    return number


def _in_the_cache(
    parts: Parts, tenant: str, wanted: Wanted, conversations: Collection[Conversation], *, removing: bool
) -> int:
    def leaves(names: Conversation) -> bool:
        if wanted.kind in ("user", "scope", "session") and _is_here(names, wanted):
            return wanted.kind != "session" or names[3] == wanted.session
        return names in conversations

    def holds(names: Conversation, text: str) -> bool:
        return wanted.kind == "matching" and _is_here(names, wanted) and says(text, wanted.matching)

    if parts.settings.cache_url is None and not parts.settings.embedded:
        return 0
    return parts.cache.cache.forget(tenant, leaves, holds, removing=removing)


def _is_here(names: Conversation, wanted: Wanted) -> bool:
    """Return whether a conversation belongs to the user or scope to which *wanted* is limited."""
    user, agent, channel, _ = names
    if wanted.scope is not None:
        return (user, agent, channel) == (wanted.scope.user, wanted.scope.agent, wanted.scope.channel)
    return wanted.user is None or user == wanted.user


def _is_spooled(one: Spooled, *, tenant: str, wanted: Wanted) -> bool:
    if one.scope.tenant != tenant or (wanted.scope is not None and one.scope != wanted.scope):
        return False
    if wanted.user is not None and one.scope.user != wanted.user:
        return False
    match wanted.kind:
        case "session":
            return one.episode.get("session") == wanted.session
        case "matching":
            return says([one.episode, one.reason], wanted.matching)
        case "fact":
            return False
    return True
