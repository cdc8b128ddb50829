"""The desk: what is asked of models, what waits for it, what it costs."""

from slowwave.store.revision import refuse, run_beside

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
