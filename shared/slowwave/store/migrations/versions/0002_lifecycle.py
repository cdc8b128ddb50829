"""The whole night shift: standing, places, promotions, segments, conversations, strategies."""

from slowwave.store.revision import refuse, run_beside

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
