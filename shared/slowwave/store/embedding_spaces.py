"""Embedding spaces: the number under which the vectors of one model and version are stored."""

from sqlalchemy import Connection

_NUMBER = "SELECT space FROM embedding_spaces WHERE (name, dimensions) = (%(name)s, %(dimensions)s)"


def space_number(connection: Connection, name: str, dimensions: int) -> int:
    """Return the number of an embedding space; create it if it is new. After a rollback, the number stays unused."""
    parameters = {"name": name, "dimensions": dimensions}
    number = connection.exec_driver_sql(_NUMBER, parameters).scalar_one_or_none()
    if number is None:
        connection.exec_driver_sql("SELECT slowwave_make_space(%(name)s, %(dimensions)s)", parameters)
        number = connection.exec_driver_sql(_NUMBER, parameters).scalar_one()
    assert isinstance(number, int)
    return number
