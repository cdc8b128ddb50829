"""`memory.operator()`: queries about people, runs and nights; access keys; and retries of dead letters."""

import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated

from pydantic import Field

from slowwave.domain.access import EVERY, VERBS, ApiKey, Applies, Caller, Quota
from slowwave.domain.arguments import Limit, Most, Name, Names, Number, checked, checked_type
from slowwave.domain.dead_letter import EXCERPT, DeadLetter
from slowwave.domain.encryption import DataKey, Reencrypted, StaleRows
from slowwave.domain.erasure import Wanted
from slowwave.domain.job_table import RETRY
from slowwave.domain.message import IngestMessage
from slowwave.domain.night_report import NightReport
from slowwave.domain.overview import ModelCallsOverview, Moves, Overview, PastRun, Person, Waiting
from slowwave.domain.receipt import Receipt
from slowwave.errors import Conflict, Incorrect, NotFound
from slowwave.formatting import brief, clipped
from slowwave.jobs.ingest import keyed
from slowwave.memory.erasing import work
from slowwave.memory.verb_group import TenantVerbs, TheParts
from slowwave.store import reencryption
from slowwave.store.access.keys import PostgresKeys
from slowwave.store.encryption.cipher import new_master_key
from slowwave.store.retention.legal_holds import any_in_force
from slowwave.validation_messages import in_a_line, nearest
from slowwave.wiring import Parts

MOST_PROBLEMS = 50
LONGEST_PROBLEM = 300
"""The maximum number of characters of a problem in an error."""
Verbs = Annotated[Names, Field(min_length=1)]
Letters = Annotated[Sequence[Number], Field(min_length=1)]
Night = Annotated[date, Field(ge=date(1970, 1, 2), le=date(9999, 12, 30))]
Days = Annotated[int, Field(ge=1, le=366)]


def take_up(parts: Parts, tenant: str, numbers: Sequence[int]) -> int:
    """Retry open dead letters and notify workers; return the number of letters. See `Operator.retry`."""
    chosen = parts.records.open_dead_letters(tenant, numbers)
    messages = [letter for letter in chosen if _is_message(letter)]
    rest = [letter for letter in chosen if not _is_message(letter)]
    parts.records.ask_again(tenant, rest)
    _ring(parts, rest)
    refused = [problem for letter in messages if (problem := _store(parts, tenant, letter))]
    if refused:
        raise Incorrect.listing(
            "messages that still cannot be parsed",
            [clipped(problem, LONGEST_PROBLEM) for problem in refused[:MOST_PROBLEMS]],
            more=len(refused[MOST_PROBLEMS:]),
            hint="send corrected messages, and drop these; `slowwave dead-letters list` lists all",
        )
    return len(chosen)


def _is_message(letter: DeadLetter) -> bool:
    """Return whether a dead letter holds a whole message.

    Such a message was malformed, or our own code failed on it. Other letters name an episode.
    """
    return letter.category == "malformed" or (letter.category == "fault" and letter.pack is None)


def _ring(parts: Parts, letters: Sequence[DeadLetter]) -> None:
    if parts.bell is not None:
        for letter in letters:
            if letter.scope is not None:
                parts.bell.ring(letter.scope.id, RETRY)


def _store(parts: Parts, tenant: str, letter: DeadLetter) -> str | None:
    """Store the episodes of a message and return None; if the message still cannot be parsed, return the problem."""
    try:
        receipts = _receipts(parts, letter)
    except Incorrect as error:
        return f"{letter.letter}: {in_a_line(error.message)}"
    wrong = [in_a_line(receipt.error.message) for receipt in receipts if receipt.error is not None]
    if wrong:
        return f"{letter.letter}: {'; '.join(wrong)}"
    parts.records.mark(tenant, [letter.letter], "retried")
    return None


def _receipts(parts: Parts, letter: DeadLetter) -> list[Receipt]:
    if letter.scope is not None:
        return parts.push(letter.scope, [letter.item])
    if not isinstance(letter.item, dict):
        raise Incorrect("it is not a JSON object")
    if letter.item.keys() == EXCERPT:
        raise Incorrect(f"it was not a task message, and only its beginning is stored ({letter.reason})")
    message, scope = IngestMessage.read(letter.item)
    items = [keyed(item, str(letter.letter), number) for number, item in enumerate(message.episodes)]
    return parts.push(scope, items)


class Access(TenantVerbs):
    """The keys of an installation."""

    @checked
    def __init__(self, parts: TheParts) -> None:
        self._parts = parts

    @checked
    def create(self, name: Name, verbs: Verbs, *, tenant: Name | None = None) -> tuple[ApiKey, str]:
        """Create a key of a tenant for *verbs* (`*` for all verbs); return the key and the secret, which is shown only
        once.
        """
        unknown = [
            f"{verb!r} is not a verb{nearest(verb, [*VERBS, EVERY])}" for verb in verbs if verb not in (*VERBS, EVERY)
        ]
        if unknown:
            raise Incorrect.listing("a key", unknown, hint=f"verbs are {', '.join(VERBS)}, and {EVERY} for all")
        return self._keys(tenant).create(self._tenant(tenant), name, verbs)

    @checked
    def listing(self, *, tenant: Name | None = None) -> Sequence[ApiKey]:
        """Return the keys of a tenant, oldest first, including revoked ones."""
        return self._keys(tenant).listing(self._tenant(tenant))

    @checked
    def revoke(self, key: uuid.UUID, *, tenant: Name | None = None) -> ApiKey:
        """Revoke a key permanently; return the key.

        Servers refuse a revoked key after at most one second. Raises `NotFound`.
        """
        return self._keys(tenant).revoke(self._tenant(tenant), key)

    def admit(self, secret: str, verb: str) -> Caller:
        """Return the caller whose key is *secret*, and spend one token of the key's rate limit for *verb*.

        See `slowwave.store.access.rate_limit`.
        """
        if self._parts.cells is None:
            return self._parts.gate.admit(secret, verb)
        return self._parts.cells.admit(secret, verb)

    def _keys(self, tenant: str | None) -> PostgresKeys:
        return PostgresKeys(self._at(tenant).database)

    def admit_known(self, secret: str, verb: str) -> Caller | None:
        """Admit a caller as `admit` does, but without the database; return None if `admit` must look there."""
        return self._parts.gate.admit_known(secret, verb)

    def alone(self) -> Caller:
        """Return the caller for a host where no key is required: the only user of the host."""
        return Caller(self._parts.settings.tenant, None, (EVERY,))


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Operator:
    """The queries and actions for an operator of one *tenant*. Reads are not counted as accesses."""

    _home: TheParts
    tenant: Name

    @property
    def _parts(self) -> Parts:
        return self._home.of(self.tenant)

    @checked
    def overview(self) -> Overview:
        """Return the amount of stored data, the state of the jobs, and the pending model calls."""
        return self._parts.records.overview(self.tenant)

    @checked
    def queue(self) -> list[Waiting]:
        """Return the jobs with pending intents: the job's name, the number of its intents, and the due time of the
        first intent.
        """
        return self._parts.records.queue(self.tenant)

    @checked
    def budget(self) -> ModelCallsOverview:
        """Return the pending model calls, today's spending and budget, and each provider's circuit breaker."""
        return self._parts.records.budget(self.tenant)

    @checked
    def people(self, limit: Limit = 50, *, after: Name | None = None) -> list[Person]:
        """Return up to *limit* people with memories, sorted by name. To continue, pass the last name as *after*."""
        return self._parts.records.people(self.tenant, after=after, most=limit)

    @checked
    def runs(self, limit: Limit = 20, *, before: Number | None = None) -> list[PastRun]:
        """Return the *limit* latest runs of the tenant and of the installation, newest first.

        To continue, pass the number of the last run as *before*.
        """
        return self._parts.records.runs(self.tenant, most=limit, before=before)

    @checked
    def run(self, number: Number) -> PastRun:
        """Return one run. Raises `NotFound`."""
        for one in self._parts.records.runs(self.tenant, most=1, before=number + 1):
            if one.run == number:
                return one
        raise NotFound(f"there is no run {number}", hint="`slowwave runs` lists them")

    @checked
    def night(self, night: Night | None = None) -> NightReport:
        """Return the report of a night, by default the current one, with the trend of earlier nights.

        A night lasts from noon to noon, UTC. *night* is the date on which the night ends.
        """
        return self._parts.nights.night(self.tenant, night)

    @checked
    def moves(self, days: Days = 14) -> list[Moves]:
        """Return the moves between tiers on each of the last *days*, including today, oldest first."""
        return self._parts.records.moves(self.tenant, days=days)

    @checked
    def dead_letters(
        self, limit: Limit = 100, *, after: Number | None = None, everything: bool = False, reviews: bool = True
    ) -> list[DeadLetter]:
        """Return at most *limit* open dead letters, oldest first.

        With *everything*, include retried and dropped letters.

        If *reviews* is False, letters that wait for a person's decision are left out. To continue, pass the last
        letter's number as *after*.
        """
        return self._parts.records.dead_letters(
            self.tenant, state=None if everything else "open", conflicts=None if reviews else False,
            after=after or 0, most=limit,
        )  # fmt: skip

    @checked
    def retry(self, letters: Letters) -> int:
        """Retry the open dead letters with these numbers; return the number of letters.

        Workers process the episodes of these letters again. Messages that can now be parsed are stored. Raises
        `NotFound` for numbers without an open letter, and `Incorrect` with the letters that cannot be retried or are
        still malformed.
        """
        return take_up(self._parts, self.tenant, letters)

    @checked
    def drop(self, letters: Letters) -> int:
        """Drop the open dead letters with these numbers; return their number.

        Dropped letters stay stored. Raises `NotFound`.
        """
        chosen = self._parts.records.open_dead_letters(self.tenant, letters)
        self._parts.records.mark(self.tenant, [letter.letter for letter in chosen], "dropped")
        return len(chosen)

    def __repr__(self) -> str:
        return brief(self, f"tenant {self.tenant}")


class Quotas(TenantVerbs):
    """The quotas of tenants and their users. Pushes, recalls and model calls beyond a quota are refused, or wait."""

    @checked
    def listing(self, *, tenant: Name | None = None) -> Sequence[Quota]:
        """Return the quotas of a tenant, by kind: of the tenant, of each user, and of single users."""
        return self._at(tenant).quotas.listing(self._tenant(tenant))

    @checked
    def set(
        self, what: Name, most: Most, *, user: Name | None = None, each_user: bool = False, tenant: Name | None = None
    ) -> None:
        """Set the quota *what* of a tenant, of each user or of one *user* to *most*.

        Every process applies a new limit within five seconds. Raises `Incorrect` for an unknown quota.
        """
        self._at(tenant).quotas.set(
            self._tenant(tenant), what, most, applies=_applies(user, each_user), user=user or ""
        )

    @checked
    def remove(
        self, what: Name, *, user: Name | None = None, each_user: bool = False, tenant: Name | None = None
    ) -> None:
        """Remove the quota *what* of a tenant, of each user, or of one *user*. Raises `NotFound` if there is none."""
        self._at(tenant).quotas.remove(self._tenant(tenant), what, applies=_applies(user, each_user), user=user or "")


def _applies(user: str | None, each_user: bool) -> Applies:
    if user and each_user:
        raise Incorrect("a user and each user exclude each other", hint="give one of them")
    return "each user" if each_user else "user" if user else "tenant"


class Encryption(TenantVerbs):
    """The data keys of tenants. Without SLOWWAVE_ENCRYPTION_KEYS, nothing is encrypted."""

    @staticmethod
    def new_master_key() -> str:
        """Return a new random master key for SLOWWAVE_ENCRYPTION_KEYS. Slowwave does not store this key."""
        return new_master_key()

    @checked
    def listing(self, *, tenant: Name | None = None) -> Sequence[DataKey]:
        """Return the data keys of a tenant, oldest first, without the keys themselves.

        The first transaction of a tenant makes its first key.
        """
        return reencryption.data_keys(self._at(tenant).database, self._tenant(tenant))

    @checked
    def rotate(self, *, tenant: Name | None = None) -> DataKey:
        """Add a data key of a tenant; return the key. It is used after a minute, when every process has read it.

        Raises `Incorrect` without SLOWWAVE_ENCRYPTION_KEYS.
        """
        return reencryption.rotate(self._at(tenant).database, self._tenant(tenant))

    @checked
    def status(self, *, tenant: Name | None = None) -> Sequence[StaleRows]:
        """Count the rows of a tenant with readable words, and the rows with words under an older data key, by table.

        Reads every row with words. Tables without such rows are left out. Raises `Incorrect` without
        SLOWWAVE_ENCRYPTION_KEYS.
        """
        return reencryption.stale_rows(self._at(tenant).database, self._tenant(tenant))

    @checked
    def encrypt_stored(self, *, rewrite: bool = False, tenant: Name | None = None) -> Reencrypted:
        """Encrypt all stored words of a tenant with the current data key, while others work; return the counts.

        Also wraps the data keys with the current master key. An interrupted call can be repeated. A later call deletes
        the old data keys, if the current key has been in use for two days and no row needs an old key. With *rewrite*,
        the call then locks and rewrites tables, indexes and statistics, so that the files of Postgres keep no earlier
        rows. Raises `Incorrect` without SLOWWAVE_ENCRYPTION_KEYS, and for *rewrite* on a server of your own without
        SLOWWAVE_OWNER_URL. Raises `Unavailable` if a process may still use an older key, and `Conflict` if a table is
        in use for long.
        """
        if rewrite and work.owner_of(self._at(tenant)) is None:
            raise Incorrect(
                "the tables cannot be rewritten: the role that owns them is unknown", hint="set SLOWWAVE_OWNER_URL"
            )
        done = reencryption.encrypt_stored(self._at(tenant).database, self._tenant(tenant))
        return replace(done, rewritten=rewrite and work.rewrite_tables(self._at(tenant)))

    @checked
    def destroy(self, *, tenant: Name | None = None, confirm: Name | None = None) -> int:
        """Delete the memories of every user of a tenant permanently, then the tenant's data keys; return their number.

        The call first makes a new data key, and waits until every process uses it, which takes 80 seconds. A backup
        still contains the wrapped keys: whoever also has the master key can read the backup. *confirm* must be the name
        of the tenant. Raises `Incorrect` otherwise, and `Conflict` under a legal hold.
        """
        name = self._tenant(tenant)
        if confirm != name:
            raise Incorrect(
                f"this deletes all memories of tenant {name!r} permanently", hint=f"confirm it with {name!r}"
            )
        with self._at(tenant).database.tenant(name) as connection:
            if any_in_force(connection):
                raise Conflict(
                    "a legal hold is in force", hint="`slowwave archive holds` lists the holds with their reasons"
                )
            users = reencryption.users(connection)
        new = self.rotate(tenant=name)
        for target in (*(Wanted(user=user) for user in users), Wanted()):  # at last what belongs to no user
            with suppress(NotFound):
                work.forget(
                    self._at(tenant), name, target, preview=False, confirm=None, learn_again=False, rewriting=False,
                    timeout=600.0,
                )  # fmt: skip
        work.rewrite_erased(self._at(tenant), name)
        work.require_no_copy(self._at(tenant), name)
        return reencryption.delete_keys(self._at(tenant).database, name, new)
