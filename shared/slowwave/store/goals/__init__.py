"""Goals, and the consensus of agents. These records have a lifecycle of their own."""
