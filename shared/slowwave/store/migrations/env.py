"""The environment in which Alembic runs migrations. It uses the connection that `slowwave.store.migrate` passes."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
