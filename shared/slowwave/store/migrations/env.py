"""How Alembic reaches the database: through the connection `slowwave.store.migrate` hands it."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
