"""A fact has a form, a text of its own and a tense; statements fade by a rule of theirs."""

from slowwave.store.revision import refuse, run_beside

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
