"""Several reviews of one episode wait beside each other, and one that a person decided says so."""

from slowwave.store.revision import refuse, run_beside

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
