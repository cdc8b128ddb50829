"""The indexes of what is due serve what asks for a slice, and nothing else."""

from slowwave.store.revision import refuse, run_beside

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
