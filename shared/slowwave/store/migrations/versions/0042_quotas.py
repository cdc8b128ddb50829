"""Quotas of tenants: how much they may push and ask, and how much of it may wait."""

from slowwave.store.revision import refuse, run_beside

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
