"""Consensus and dissent of agents: written once, found by topic."""
