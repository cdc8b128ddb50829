"""Embedding spaces: the number under which the vectors of one model and version are stored."""

from sqlalchemy import Connection


def space_number(connection: Connection, name: str, dimensions: int) -> int:
    """Return the number of an embedding space, made when it is new."""
    parameters = {"name": name, "dimensions": dimensions}
    connection.exec_driver_sql(
        "INSERT INTO embedding_spaces (tenant, name, dimensions) SELECT '_system', %(name)s, %(dimensions)s "
        "WHERE NOT EXISTS (SELECT FROM embedding_spaces WHERE name = %(name)s) ON CONFLICT DO NOTHING",
        parameters,
    )
    number = connection.exec_driver_sql(
        "SELECT space FROM embedding_spaces WHERE name = %(name)s", parameters
    ).scalar_one()
    assert isinstance(number, int)
    return number
