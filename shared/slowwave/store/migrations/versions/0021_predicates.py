"""The number of values each predicate holds is kept, and which predicates a tenant has facts of is found at once."""

from slowwave.store.revision import refuse, run_beside

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
