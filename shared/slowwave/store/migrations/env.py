"""Alembic's environment: it runs on the connection that `slowwave.store.migrate` hands it."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
