"""The spine: inbox, schedule, intents, runs, ledger, beliefs, roles' grants and row-level security."""

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create everything."""
    driver = op.get_bind().connection.driver_connection
    assert driver is not None
    driver.execute(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))  # many statements at once


def downgrade() -> None:
    """Refuse: going back below the first revision would lose what is acknowledged."""
    raise RuntimeError("the first revision cannot be undone; restore a backup into a new database instead")
