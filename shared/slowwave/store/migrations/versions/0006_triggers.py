"""Columns of triggers: the rest that waits on, idle scopes, the running topic of a session."""

from slowwave.store.revision import refuse, run_beside

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
