"""News of a matter finds the beliefs in which its words stand."""

from slowwave.store.revision import refuse, run_beside

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
