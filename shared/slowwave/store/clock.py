"""The database clock: a transaction reads the time here."""

from datetime import datetime

from sqlalchemy import Connection


def now(connection: Connection) -> datetime:
    """Return the database's time, in UTC."""
    time = connection.exec_driver_sql("SELECT slowwave_now()").scalar_one()
    assert isinstance(time, datetime)
    return time
