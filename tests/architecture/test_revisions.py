"""The revisions of the schema are one line: each follows the one before it, and its number is its file's."""

from alembic.script import ScriptDirectory

from slowwave.store import migrate


def test_each_revision_follows_the_one_before_it() -> None:
    revisions = [*ScriptDirectory.from_config(migrate._config()).walk_revisions()][::-1]

    assert [each.revision for each in revisions] == [f"{number:04}" for number in range(1, len(revisions) + 1)]
    assert [each.down_revision for each in revisions] == [None, *(each.revision for each in revisions[:-1])]
    assert all(each.path.rpartition("/")[2].startswith(f"{each.revision}_") for each in revisions)
