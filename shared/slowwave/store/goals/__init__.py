"""Goals of agents, and the consensus of agents on topics."""
