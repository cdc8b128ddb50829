"""What the installation owns is made by a function or by dispatch, and nobody may lock what it does not delete from."""

from slowwave.store.revision import refuse, run_beside

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
