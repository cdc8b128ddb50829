"""A scope answers in one embedding space, and can be moved to another while it is asked."""

from slowwave.store.revision import refuse, run_beside

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
