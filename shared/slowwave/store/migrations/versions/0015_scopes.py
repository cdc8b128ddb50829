"""A row stands in a scope, or in a slice, of its own tenant."""

from slowwave.store.revision import refuse, run_beside

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
