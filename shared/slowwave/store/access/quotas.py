"""The quotas of tenants and their users: spent by writes and recalls, shown and changed by an operator."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.access import BYTES, CENTS, EPISODES, PERIODS, TOKENS, TURNS, Applies, Quota
from slowwave.domain.job_table import PREPARE, pack_of
from slowwave.domain.scope import Scope
from slowwave.errors import Crowded, Incorrect, NotFound, OverQuota, Unavailable
from slowwave.runtime import clock
from slowwave.store.access import stored_words
from slowwave.store.access.database_size import Room
from slowwave.store.database import Database
from slowwave.store.statements import execute

FREE_SECONDS = 5.0
"""Seconds for which a process caches that a tenant has no quota of a kind. Then a new quota is in force everywhere."""
WAITING_SECONDS = 2.0
"""Seconds to wait before a retry if too many episodes wait for preparation."""

Spending = Mapping[str, Counter[str]]
"""What a call uses, by kind of quota and then by user."""


@dataclass(frozen=True, slots=True)
class _Bucket:
    """A quota to draw from. *user* is empty for the quota of a tenant."""

    what: str
    user: str
    most: int
    level: float
    seconds: float

    @property
    def of(self) -> str:
        return f"user {self.user}" if self.user else "this tenant"


class Quotas:
    """The quotas of tenants and their users, with a cache of the users who have no quota."""

    def __init__(self, database: Database, room: Room | None = None) -> None:
        self._database = database
        self._room = room or Room()
        self._free: dict[tuple[str, str], float] = {}

    def spend_on_recall(self, tenant: str, user: str) -> None:
        """Take one recall from the quotas. Raises `Crowded`, with the time to wait, if no recall is left."""
        if wanted := self._limited(tenant, {"recalls-a-minute": Counter({user: 1})}):
            with self._database.tenant(tenant) as connection:
                self._spend(connection, tenant, wanted)

    def spend_on_note(self, tenant: str, user: str, text: str) -> None:
        """Subtract the bytes of a note in working memory from `bytes-a-day`. While Postgres is down, notes are free.

        Raises `Crowded`, with the time to wait, if the quota is used up.
        """
        wanted = self._limited(tenant, {BYTES: Counter({user: len(text.encode())})})
        try:
            if wanted:
                with self._database.tenant(tenant) as connection:
                    self._spend(connection, tenant, wanted)
        except Crowded:
            raise
        except Unavailable:  # the cache works without Postgres, and must not wait for it at every note
            self._free[tenant, BYTES] = clock.monotonic() + FREE_SECONDS

    @contextmanager
    def writing(self, scope: Scope) -> Iterator[Connection]:
        """Give a transaction in which an agent stores words in *scope*. The errors are those of `counting`."""
        with self._database.tenant(scope.tenant) as connection, self.counting(connection, scope.tenant, scope.user):
            yield connection

    @contextmanager
    def counting(self, connection: Connection, tenant: str, user: str, *, bulk: bool = False) -> Iterator[None]:
        """Subtract the words that the block stores from `bytes-a-day`, and its writes from `episodes-a-minute`.

        A *bulk* write, which its caller cannot split, takes nothing from `episodes-a-minute`, and at most a full quota
        of bytes. *user* is empty if the user is unknown. Raises `Crowded`, with the time to wait, if a quota is used up
        or the database has no room.
        """
        with stored_words.counted(connection) as sizes:
            yield
        if not sizes:
            return
        self._room.require(connection)
        asked = {BYTES: Counter({user: sum(sizes)})}
        if wanted := self._limited(tenant, asked if bulk else {EPISODES: Counter({user: len(sizes)}), **asked}):
            self._spend(connection, tenant, wanted, bulk=bulk)

    def require_room(self, tenant: str, *, bytes_: int = 0) -> None:
        """Raise `Crowded`, with the time to wait, if the database has no room for *bytes_* more bytes."""
        with self._database.tenant(tenant) as connection:
            self._room.require(connection, more=bytes_)

    def spend_in(
        self, connection: Connection, tenant: str, *, episodes: Mapping[str, int], bytes_: Mapping[str, int]
    ) -> None:
        """Subtract the *episodes* and *bytes_* that this transaction stored for each user from the quotas.

        Raises `Crowded`, with the time to wait, if a quota is used up or the database has no room. Raises `OverQuota`
        if the transaction stored more than a full quota allows.
        """
        self._room.require(connection)
        stored = Counter(episodes)
        asked = {EPISODES: stored, BYTES: Counter(bytes_), "episodes-waiting": stored}
        if stored and (wanted := self._limited(tenant, asked)):
            self._spend(connection, tenant, wanted)

    def _limited(self, tenant: str, wanted: Spending) -> Spending:
        """Return the kinds in *wanted* for which the tenant may have a quota: those not cached as free."""
        now = clock.monotonic()
        return {what: numbers for what, numbers in wanted.items() if now >= self._free.get((tenant, what), 0.0)}

    def _spend(self, connection: Connection, tenant: str, wanted: Spending, *, bulk: bool = False) -> None:
        """Subtract *wanted* from the quotas. Only these kinds are locked, so a recall never waits for a push."""
        users = sorted({user for numbers in wanted.values() for user in numbers if user})
        rows = execute(connection, "access/quotas_of", these=list(wanted), users=users).all()
        for what in wanted.keys() - {row.what for row in rows}:
            self._free[tenant, what] = clock.monotonic() + FREE_SECONDS
        mosts = {(row.what, row.user_id): int(row.most) for row in rows if row.most is not None}
        if not mosts:
            return
        asked = {
            "whats": [what for what, _ in mosts], "users": [user for _, user in mosts], "mosts": list(mosts.values()),
        }  # fmt: skip
        buckets = execute(connection, "access/lock_quotas", **asked).all()
        if len(buckets) < len(mosts):  # another transaction created a bucket while this statement waited
            buckets = execute(connection, "access/lock_quotas", **asked).all()
        for row in buckets:
            numbers = wanted[row.what]
            number = numbers[row.user_id] if row.user_id else numbers.total()
            if number:
                bucket = _Bucket(row.what, row.user_id, mosts[row.what, row.user_id], row.level, row.seconds)
                _draw(connection, bucket, min(number, bucket.most) if bulk else number)

    def listing(self, tenant: str) -> Sequence[Quota]:
        """Return the quotas of a tenant, by kind: of the tenant, of each user, and of single users."""
        with self._database.tenant(tenant) as connection:
            rows = execute(connection, "access/quotas_list").all()
            return [
                Quota(row.what, row.most, _shown(connection, row), applies=row.applies, user=row.user_id or None)
                for row in sorted(rows, key=lambda row: list(PERIODS).index(row.what))
            ]

    def set(self, tenant: str, what: str, most: int, *, applies: Applies = "tenant", user: str = "") -> None:
        """Set the quota for *what* to *most*, for the tenant, for each user, or for one *user*. A new quota is full."""
        _known(what, applies)
        with self._database.tenant(tenant) as connection:
            connection.exec_driver_sql(
                "INSERT INTO quotas AS q (tenant, what, applies, user_id, most, level) "
                "VALUES (slowwave_tenant(), %(what)s, %(applies)s, %(user)s, %(most)s, %(most)s) "
                "ON CONFLICT (tenant, what, applies, user_id) DO UPDATE SET most = excluded.most, "
                "level = CASE WHEN q.most IS NULL THEN excluded.most ELSE least(q.level, excluded.most) END",
                {"what": what, "most": most, "applies": applies, "user": user},
            )
        self._free.clear()

    def remove(self, tenant: str, what: str, *, applies: Applies = "tenant", user: str = "") -> None:
        """Remove a quota. Raises `NotFound` if the quota does not exist."""
        _known(what, applies)
        asked = {"what": what, "applies": applies, "user": user}
        with self._database.tenant(tenant) as connection:
            if not (execute(connection, "access/give_up_own_quota", **asked).rowcount or _deleted(connection, asked)):
                raise NotFound(f"there is no quota of {what}", hint="`slowwave quotas` lists them")


def _deleted(connection: Connection, quota: Mapping[str, str]) -> bool:
    connection.exec_driver_sql("SET LOCAL ROLE slowwave_eraser")  # only this role may delete quotas
    gone = connection.exec_driver_sql(
        "DELETE FROM quotas WHERE tenant = slowwave_tenant() AND what = %(what)s "
        "AND applies = %(applies)s AND user_id = %(user)s AND most IS NOT NULL",
        quota,
    )
    return bool(gone.rowcount)


def _draw(connection: Connection, bucket: _Bucket, number: int) -> None:
    if number > bucket.most:
        unit = bucket.what.partition("-")[0]
        raise OverQuota(
            f"the quota of {bucket.what} is {bucket.most}, and this needs {number} at once",
            hint=f"push smaller batches, of at most {bucket.most} {unit} at once, or raise it: `slowwave quotas set`",
        )
    left, period = _left(connection, bucket), PERIODS[bucket.what]
    if period is None:
        left += number  # these episodes are stored by now, and count as waiting
    if left < number:
        wait = (number - left) * period / bucket.most if period else WAITING_SECONDS
        raise Crowded(
            f"the quota of {bucket.what} is used up: {bucket.most} for {bucket.of}; wait {math.ceil(wait)} s",
            retry_after_seconds=math.ceil(wait * 1000) / 1000,
            hint="wait as long as it says, or raise it: `slowwave quotas set`",
        )
    if period:
        connection.exec_driver_sql(
            "UPDATE quotas SET level = %(level)s, seen = slowwave_now() WHERE tenant = slowwave_tenant() "
            "AND what = %(what)s AND applies = %(applies)s AND user_id = %(user)s",
            {
                "level": left - number,
                "what": bucket.what,
                "applies": "user" if bucket.user else "tenant",
                "user": bucket.user,
            },
        )


def _left(connection: Connection, bucket: _Bucket) -> float:
    """Return how much of a quota can be used now. A clock that was set back adds nothing."""
    period = PERIODS[bucket.what]
    if period is None:
        asked = {"pack": pack_of(PREPARE), "user": bucket.user}
        return float(bucket.most - execute(connection, "access/waiting", **asked).scalar_one())
    level = min(float(bucket.most), bucket.level)
    return min(float(bucket.most), level + max(bucket.seconds, 0.0) * bucket.most / period)


def _shown(connection: Connection, row: Any) -> int | None:
    """Return how much of a quota is left; None for a quota of each user and for the quota of turns."""
    if row.applies == "each user" or row.what == TURNS:
        return None
    if row.what in (TOKENS, CENTS):
        spent = execute(connection, "access/spent_today", user=row.user_id).one()
        used = spent.tokens if row.what == TOKENS else spent.micros / 10_000
        return max(0, int(row.most - used))
    return max(0, int(_left(connection, _Bucket(row.what, row.user_id, row.most, row.level, row.seconds))))


def _known(what: str, applies: Applies) -> None:
    if what not in PERIODS:
        raise Incorrect(f"{what!r} is not a quota", hint=f"quotas are {', '.join(PERIODS)}")
    if what == TURNS and applies != "tenant":
        raise Incorrect(f"the quota {TURNS} is for a whole tenant", hint="leave the user out")
