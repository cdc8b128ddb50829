"""Models tell of sessions and of nodes of their trees: their words stand in the place of quotes."""

from slowwave.store.revision import refuse, run_beside

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
