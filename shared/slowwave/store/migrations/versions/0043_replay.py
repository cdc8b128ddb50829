"""A replay adds claims in the place of those that it leaves out."""

from slowwave.store.revision import refuse, run_beside

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
