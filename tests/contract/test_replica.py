"""The position that a read on a replica must see, and the errors for which the primary serves reads."""

from typing import Any

import psycopg
import pytest

from slowwave.errors import Conflict, SlowwaveError, Unavailable, Unprepared
from slowwave.store.replica import Replica, ReplicaLost
from tests.contract.harness import Harness


def test_a_position_that_is_being_read_serves_no_other_read(harness: Harness) -> None:
    replica = Replica(1.0)

    class Primary:
        """A connection on which another thread looks at the position while a statement runs."""

        def exec_driver_sql(self, statement: str) -> Any:
            assert replica.position is None
            replica.wrote()
            return connection.exec_driver_sql(statement)

    with harness.parts.database.tenant("default") as connection:
        primary: Any = Primary()
        replica.read_position(connection)
        replica.wrote()
        replica.read_position(primary)
        assert replica.position is None, "the other thread's write may be later"
        assert replica.read_position(connection) == replica.position


def test_a_read_that_may_miss_nothing_asks_the_primary_each_time(harness: Harness) -> None:
    with harness.parts.database.tenant("default") as connection:
        for seconds, known in ((1.0, True), (0.0, False)):
            replica = Replica(seconds)
            replica.read_position(connection)
            assert (replica.position is not None) == known


def test_an_embedder_that_fails_during_a_read_does_not_count_as_a_failure_of_the_replica() -> None:
    replica = Replica(1.0)
    with pytest.raises(Unavailable, match="embedder") as raised, replica.lost():
        raise Unavailable("the embedder does not respond", retry_after_seconds=7)
    assert raised.value.retry_after_seconds == 7
    assert replica.in_use


@pytest.mark.parametrize("failure", [Unavailable, Unprepared, Conflict])
def test_a_server_that_is_gone_or_without_schema_or_cancels_counts_as_lost(
    failure: type[SlowwaveError],
) -> None:
    replica = Replica(1.0)
    with pytest.raises(ReplicaLost), replica.lost():
        raise failure("as the driver says") from psycopg.ProgrammingError()
    assert not replica.in_use
