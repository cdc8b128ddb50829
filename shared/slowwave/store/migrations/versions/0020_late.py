"""Claims that come late are folded in their place: the ledger keeps where that is, and what was decided again."""

from slowwave.store.revision import refuse, run_beside

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
