"""Faults of ours are counted by the window they met, so that no episode is buried by one alone."""

from slowwave.store.revision import refuse, run_beside

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
