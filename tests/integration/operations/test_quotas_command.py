"""`slowwave quotas` shows and changes what a tenant may use."""

from tests.integration.command import Run


def test_quotas_are_set_listed_and_removed(run: Run) -> None:
    assert run("quotas").out == "there are no quotas; `slowwave quotas set WHAT NUMBER` makes one\n"
    assert run("quotas", "set", "episodes-a-minute", "600").out == "at most 600 episodes-a-minute\n"
    assert run("quotas", "set", "episodes-waiting", "20000").status == 0

    assert run("quotas", "--json").json == [
        {"what": "episodes-a-minute", "most": 600, "left": 600},
        {"what": "episodes-waiting", "most": 20_000, "left": 20_000},
    ]
    assert "20,000" in run("quotas").out
    assert run("quotas", "list", "--tenant", "other").out.startswith("there are no quotas")
    assert run("quotas", "remove", "episodes-waiting").out == "episodes-waiting has no limit any more\n"
    assert run("quotas", "remove", "episodes-waiting").status == 1
    assert "cakes" in run("quotas", "set", "cakes", "1").err
