"""The database knows how far a model was asked which beliefs hold no longer, and what it is to reply to."""

from slowwave.store.revision import refuse, run_beside

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
