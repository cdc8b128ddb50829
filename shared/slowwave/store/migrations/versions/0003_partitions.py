"""Partitions that are made, emptied and dropped by a job that holds no right but to ask for it."""

from slowwave.store.revision import refuse, run_beside

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
