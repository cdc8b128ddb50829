"""A tenant may have what is learned sent to an address of its own."""

from slowwave.store.revision import refuse, run_beside

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
