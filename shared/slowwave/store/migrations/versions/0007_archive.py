"""Columns of retention: when a conversation was last touched, and when an entity is due."""

from slowwave.store.revision import refuse, run_beside

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
