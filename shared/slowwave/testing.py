"""A movable database clock, for tests of programs that use Slowwave."""

from datetime import datetime, timedelta

import psycopg

from slowwave.domain.arguments import Description, Instant, checked
from slowwave.errors import Incorrect, Unavailable

_CLOCK = """
CREATE TABLE IF NOT EXISTS test_clock (stopped timestamptz, shift interval NOT NULL);
GRANT SELECT ON test_clock TO PUBLIC;
INSERT INTO test_clock SELECT NULL, '0' WHERE NOT EXISTS (SELECT FROM test_clock);
CREATE OR REPLACE FUNCTION slowwave_now() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS 'SELECT coalesce(stopped, clock_timestamp()) + shift FROM public.test_clock';
"""


@checked
def move_clock(owner_url: Description, offset: timedelta) -> None:
    """Set the database's clock to the host's time plus *offset*. *owner_url* is the address for slowwave_owner."""
    _set(owner_url, None, offset)


@checked
def stop_clock(owner_url: Description, at: Instant) -> None:
    """Stop the database's clock at *at* until another call. *owner_url* is the address for slowwave_owner."""
    _set(owner_url, at, timedelta(0))


def _set(owner_url: str, stopped: datetime | None, shift: timedelta) -> None:
    try:
        with psycopg.connect(owner_url) as connection:
            connection.execute(_CLOCK)
            connection.execute("UPDATE test_clock SET stopped = %s, shift = %s", (stopped, shift))
    except psycopg.OperationalError as error:
        raise Unavailable(f"the database is unavailable ({type(error).__name__})") from error
    except psycopg.Error as error:
        hint = "give the address for slowwave_owner, and an offset that Postgres can store as an interval"
        raise Incorrect(f"the clock cannot be set ({type(error).__name__})", hint=hint) from error
