"""Embedding spaces: the number under which the vectors of one model and version are stored."""

from sqlalchemy import Connection


def space_number(connection: Connection, name: str, dimensions: int) -> int:
    """Return the number of an embedding space, made when it is new."""
    parameters = {"name": name, "dimensions": dimensions}
    connection.exec_driver_sql("SELECT slowwave_make_space(%(name)s, %(dimensions)s)", parameters)
    number = connection.exec_driver_sql(
        "SELECT space FROM embedding_spaces WHERE (name, dimensions) = (%(name)s, %(dimensions)s)", parameters
    ).scalar_one()
    assert isinstance(number, int)
    return number
