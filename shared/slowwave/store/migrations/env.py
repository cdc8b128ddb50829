"""How Alembic reaches the database: through the connection `slowwave.store.migrate` hands it."""

from alembic import context

from slowwave.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
