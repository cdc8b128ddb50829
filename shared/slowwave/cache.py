"""The cache: a Redis whose entries expire. Any entry may be lost at any time.

Keys begin with tenant and agent, and continue as in the system AgentX: `working:{user}:{channel}:{conversation}:turns`.
Every part is percent-encoded, because different names must have different keys. The cache works with a single Redis,
not with a cluster.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, TypeVar, cast
from urllib.parse import quote, unquote

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from slowwave.domain.scope import Scope
from slowwave.domain.stats import CacheMemory
from slowwave.domain.working_memory import PARTS, Conversation, Entry, Part
from slowwave.errors import Unavailable
from slowwave.threads import run_in_thread

T = TypeVar("T")
Names = tuple[str, str, str, str]
"""The user, agent, channel and session of a conversation."""
ANSWER_SECONDS = 2.0
"""The timeout of a request to the cache. After a broken connection, the request is retried once."""
CLEARED_SECONDS = 30 * 86_400
"""The time for which the cache remembers that a conversation was cleared. If the conversation continues later, its last
turns return.
"""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_APPEND = """
local begins = ARGV[1] .. '\\n'
local known = false
for _, each in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
    known = known or string.sub(each, 1, #begins) == begins
end
if not known then
    local now = redis.call('TIME')
    redis.call('RPUSH', KEYS[1], begins .. now[1] .. string.format('%06d', now[2]) .. '\\n' .. ARGV[2])
end
if tonumber(ARGV[4]) > 0 then redis.call('LTRIM', KEYS[1], -ARGV[4], -1) end
for _, name in ipairs(KEYS) do redis.call('PEXPIRE', name, ARGV[3]) end
return redis.call('LRANGE', KEYS[1], 0, -1)
"""
_RESTORE = """
local now = redis.call('TIME')
local at = '\\n' .. now[1] .. string.format('%06d', now[2]) .. '\\n'
local known = {}
for _, each in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do known[string.match(each, '^[^\\n]*')] = each end
for number = 2, #ARGV, 2 do
    local before = known[ARGV[number]]
    if before then redis.call('LREM', KEYS[1], 1, before) end
    redis.call('RPUSH', KEYS[1], ARGV[number] .. at .. ARGV[number + 1])
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return redis.call('LRANGE', KEYS[1], 0, -1)
"""
_REMOVE = """
local leaving = {}
for _, id in ipairs(ARGV) do leaving[id] = true end
local gone = 0
for _, each in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
    if leaving[string.match(each, '^[^\\n]*')] then gone = gone + redis.call('LREM', KEYS[1], 1, each) end
end
return gone
"""
_PUT = """
redis.call('SET', KEYS[1] .. ':' .. ARGV[1], ARGV[2], 'PX', ARGV[3])
redis.call('SADD', KEYS[1], ARGV[1])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
"""
_VALUES = """
local found = {}
for _, name in ipairs(redis.call('SMEMBERS', KEYS[1])) do
    local value = redis.call('GET', KEYS[1] .. ':' .. name)
    if value then
        found[#found + 1] = name
        found[#found + 1] = value
    else
        redis.call('SREM', KEYS[1], name)
    end
end
return found
"""
_CLEAR = """
for _, name in ipairs(redis.call('SMEMBERS', KEYS[1])) do redis.call('DEL', KEYS[1] .. ':' .. name) end
return redis.call('DEL', unpack(KEYS))
"""


class RedisCache:
    """Lists and values of conversations. All entries expire. Every method can raise `Unavailable`.

    Safe to share between threads; connections open when first needed.

    For every read of turns or of one value, *noted* is called with the scope and whether the read found entries.
    """

    def __init__(self, url: str, *, noted: Callable[[Scope, bool], object] | None = None) -> None:
        self._noted = noted or (lambda _scope, _there: None)
        self._redis = redis.Redis.from_url(
            url,
            decode_responses=True,
            socket_timeout=ANSWER_SECONDS,
            socket_connect_timeout=ANSWER_SECONDS,
            retry=Retry(NoBackoff(), 1, supported_errors=(redis.ConnectionError,)),
        )

    def append(
        self, of: Conversation, part: Part, id_: str, text: str, *, seconds: float, most: int | None = None
    ) -> list[Entry]:
        """Append an entry to a list, unless the list has an entry with this id; return the list.

        The list keeps at most *most* entries, the newest. All lists of the conversation expire *seconds* seconds after
        the last append to any of them.
        """
        names = [key(of, part), *(key(of, other) for other in PARTS if other != part)]
        values = self._run(_APPEND, *names, id_, text, _milliseconds(seconds), most or 0, keys=len(names))
        return [_entry(each) for each in values]

    def entries(self, of: Conversation, part: Part) -> list[Entry]:
        """Return the entries of a list, oldest first."""
        entries = cast(list[str], _answered(lambda: self._redis.lrange(key(of, part), 0, -1)))
        if part == "turns":
            self._noted(of.scope, bool(entries))
        return [_entry(each) for each in entries]

    def restore(self, of: Conversation, part: Part, texts: Mapping[str, str], *, seconds: float) -> list[Entry]:
        """Restore the entries in *texts*, which has the text of each id; return the list, in no particular order. An
        entry with the same id is replaced.
        """
        pairs = [each for pair in texts.items() for each in pair]
        return [_entry(each) for each in self._run(_RESTORE, key(of, part), _milliseconds(seconds), *pairs)]

    def remove(self, of: Conversation, part: Part, ids: Sequence[str]) -> int:
        """Remove the entries with these ids from a list in one step; return how many entries were removed."""
        return int(self._run(_REMOVE, key(of, part), *ids)) if ids else 0

    def put(self, of: Conversation, name: str, value: str, *, seconds: float) -> None:
        """Store a value by *name* for *seconds*."""
        self._run(_PUT, key(of, "context"), quote(name, safe=""), value, _milliseconds(seconds))

    def get(self, of: Conversation, name: str) -> str | None:
        """Return the value with this *name*, or None."""
        place = f"{key(of, 'context')}:{quote(name, safe='')}"
        value = cast(str | None, _answered(lambda: self._redis.get(place)))
        self._noted(of.scope, value is not None)
        return value

    def delete(self, of: Conversation, name: str) -> bool:
        """Delete a value; return whether the value existed."""
        place = f"{key(of, 'context')}:{quote(name, safe='')}"
        return bool(_answered(lambda: self._redis.delete(place)))

    def values(self, of: Conversation) -> Mapping[str, str]:
        """Return all values, by name."""
        reply = self._run(_VALUES, key(of, "context"))
        pairs = zip(reply[::2], reply[1::2], strict=True)
        return {unquote(name): value for name, value in sorted(pairs)}

    def cleared(self, of: Conversation) -> int:
        """Return the position up to which turns were cleared; 0 if the cache has no such position."""
        return int(cast(str | None, _answered(lambda: self._redis.get(key(of, "cleared")))) or 0)

    def clear_to(self, of: Conversation, position: int) -> None:
        """Record the position up to which turns were cleared. The record expires after `CLEARED_SECONDS`."""
        _answered(lambda: self._redis.set(key(of, "cleared"), position, ex=CLEARED_SECONDS))

    def clear(self, of: Conversation, parts: Sequence[Part]) -> None:
        """Delete every value of a conversation, and the lists *parts*."""
        self._run(_CLEAR, key(of, "context"), *[key(of, part) for part in parts], keys=1 + len(parts))

    def forget(
        self, tenant: str, leaves: Callable[[Names], bool], says: Callable[[Names, str], bool], *, removing: bool = True
    ) -> int:
        """Delete the tenant's entries that *leaves* or *says* select; return their number. With *removing* False, only
        count.

        *leaves* selects whole conversations. In other conversations, *says* selects values and entries of lists by
        their texts or names.
        """
        pattern = f"{quote(tenant, safe='')}:*:working:*"
        names = _answered(lambda: list(self._redis.scan_iter(match=pattern, count=1_000)))
        gone = [name for name in names if leaves(_names_in_key(name)) or says(_names_in_key(name), _last_names(name))]
        found = len(gone)
        for name in set(names) - set(gone):
            found += self._forget_entries(name, partial(says, _names_in_key(name)), removing=removing)
        if gone and removing:
            _answered(lambda: self._redis.unlink(*gone))
        return found

    def _forget_entries(self, name: str, says: Callable[[str], bool], *, removing: bool) -> int:
        client = self._redis
        match _answered(lambda: client.type(name)):
            case "list":
                each = cast(list[str], _answered(lambda: client.lrange(name, 0, -1)))
                remove: Callable[[str], Any] = partial(client.lrem, name, 0)
            case "set":
                each = list(cast(set[str], _answered(lambda: client.smembers(name))))
                remove = partial(client.srem, name)
            case _:
                each = [cast(str | None, _answered(lambda: client.get(name))) or ""]
                remove = partial(_delete, client, name)
        gone = [one for one in each if says(one) or says(unquote(one))]
        for one in gone if removing else ():
            _answered(partial(remove, one))
        return len(gone)

    def memory(self) -> CacheMemory:
        """Return the server's memory usage. Raises `Unavailable` if the server is down or does not report its usage."""
        memory, counted = _answered(lambda: (self._redis.info("memory"), self._redis.info("stats")))
        return CacheMemory(
            memory["used_memory"], memory["maxmemory"] or None, memory["maxmemory_policy"], counted["evicted_keys"]
        )

    def close(self) -> None:
        """Close the connections."""
        self._redis.close()

    def _run(self, script: str, *arguments: str | int, keys: int = 1) -> Any:
        return _answered(lambda: self._redis.eval(script, keys, *arguments))


def key(of: Conversation, part: str) -> str:
    """Return the cache key of a part of a conversation.

    >>> from slowwave.domain.scope import Scope
    >>> key(Conversation(Scope("t", "al:ice", "rag", "50%"), "c/1"), "turns")
    't:rag:working:al%3Aice:50%25:c%2F1:turns'
    """
    scope = of.scope
    names = (scope.tenant, scope.agent, "working", scope.user, scope.channel, of.session, part)
    return ":".join(quote(name, safe="") for name in names)


def _delete(client: redis.Redis, name: str, _value: str) -> int:
    return client.delete(name)


def _last_names(name: str) -> str:
    """Return the session and the name of the value in a key."""
    _, _, _, _, _, session, _, *value = map(unquote, name.split(":"))
    return "\n".join((session, *value))


def _names_in_key(name: str) -> Names:
    """Return user, agent, channel and session of a key."""
    _, agent, _, user, channel, session, *_ = map(unquote, name.split(":"))
    return user, agent, channel, session


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))


def _entry(value: str) -> Entry:
    id_, at, text = value.split("\n", 2)
    return Entry(id_, EPOCH + timedelta(microseconds=int(at)), text)


def _answered(ask: Callable[[], T]) -> T:
    """Return the result of *ask*, which calls Redis. Meanwhile, other tasks that share this thread go on. Raises
    `Unavailable`.
    """
    try:
        return run_in_thread(ask)
    except redis.RedisError as error:
        raise Unavailable(
            f"the cache does not answer ({type(error).__name__})",
            hint="working memory needs the Redis at SLOWWAVE_CACHE_URL; pushed episodes are safe without it",
        ) from error
