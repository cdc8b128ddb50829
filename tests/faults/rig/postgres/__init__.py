"""Postgres servers beside the rig's own: a replica, and a pooler in front of a server."""
