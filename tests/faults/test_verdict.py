"""The verdict fails on every planted damage: lost, doubled or leftover rows."""

from collections.abc import Iterator

import pytest

from tests.faults.rig.corpus import Corpus, corpus
from tests.faults.rig.ground import Ground
from tests.faults.rig.verdict import Outcome, lived_through, prove

SMALL = corpus(episodes=30, scopes=2)
ANY_DELTA = "(SELECT id FROM deltas WHERE kind = 'noop' LIMIT 1)"
ANY_FACT = "(SELECT max(version) FROM facts)"

DAMAGE = {
    "a lost episode": "DELETE FROM episodes WHERE position = 3",
    "a lost last episode": "DELETE FROM episodes e USING scope_heads h WHERE h.scope = e.scope AND h.head = position",
    "a gap": "UPDATE episodes SET position = position + 100 WHERE position >= 5",
    "a wrong key": "UPDATE episode_keys SET id = gen_random_uuid() WHERE position = 2",
    "a lost delta": f"DELETE FROM deltas WHERE id = {ANY_DELTA}",
    "a doubled delta": "WITH new AS (INSERT INTO deltas (id, scope, tenant, run, pack, rule, kind, mode, position, "
    "confidence, recorded, fingerprint, payload_digest) SELECT gen_random_uuid(), scope, tenant, run, pack, rule, "
    "kind, mode, position, confidence, now(), fingerprint, payload_digest FROM deltas "
    f"WHERE id = {ANY_DELTA} RETURNING id) INSERT INTO delta_sources SELECT new.id, ordinal, tenant, episode, key, "
    f"position, span_start, span_end, origin FROM new, delta_sources WHERE delta = {ANY_DELTA}",
    "another belief": f"UPDATE facts SET object = 'Atlantis' WHERE version = {ANY_FACT}",
    "another confidence": f"UPDATE facts SET confidence = 0.1 WHERE version = {ANY_FACT}",
    "a fact without a delta": f"UPDATE facts SET fact = gen_random_uuid() WHERE version = {ANY_FACT}",
    "a window done twice": "INSERT INTO runs (scope, tenant, job, pack, version, intent, lo, hi, fence, owner, "
    "finished, outcome, counts) SELECT scope, tenant, job, pack, version, intent, hi, hi, fence + 1, owner, now(), "
    "'ok', '{\"episodes\": 1}' FROM runs WHERE job = 'consolidate' LIMIT 1",
    "a run that never ended": "UPDATE runs SET finished = NULL, outcome = NULL WHERE run = (SELECT max(run) FROM runs)",
    "a lease that is held": "UPDATE scope_leases SET until = now() + interval '1 s'",
    "work left over": "UPDATE watermarks SET position = position - 1, planned = planned - 1",
    "somebody buried": "INSERT INTO dead_letters (tenant, scope, pack, episode, position, category, reason) SELECT "
    "tenant, scope, 'everyday', id, position, 'vanished', 'odd' FROM episodes LIMIT 1",
}


@pytest.fixture(scope="module")
def sound(ground: Ground) -> Iterator[tuple[str, Outcome]]:
    """A database that processed a corpus without faults, and its outcome."""
    with ground.database() as database:
        yield database, lived_through(ground, database, SMALL)


def test_a_sound_database_passes(ground: Ground, sound: tuple[str, Outcome]) -> None:
    database, expected = sound
    prove(ground, database, SMALL, expected, acknowledged=positions(SMALL))


@pytest.mark.accept
@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_detected(ground: Ground, sound: tuple[str, Outcome], damage: str) -> None:
    database, expected = sound
    with ground.database(template=database) as copy:
        with ground.superuser(copy) as connection:
            assert connection.execute(DAMAGE[damage].encode()).rowcount > 0
        with pytest.raises(AssertionError):
            prove(ground, copy, SMALL, expected, acknowledged=positions(SMALL))


def test_a_lost_acknowledgement_is_detected(ground: Ground, sound: tuple[str, Outcome]) -> None:
    database, expected = sound
    for wrong in ({"never-stored": 1}, {SMALL.said[0][1].key: 77}):
        with pytest.raises(AssertionError):
            prove(ground, database, SMALL, expected, acknowledged=wrong)


def positions(told: Corpus) -> dict[str, int]:
    """Return the expected position of each key."""
    return {e.key: position for scope in told.scopes for position, e in enumerate(told.of(scope), 1)}
