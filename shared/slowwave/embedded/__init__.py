"""Postgres and Redis from wheels, started and stopped for you: no container, no installation, no TCP port."""

from slowwave.embedded.postgres import PostgresServer
from slowwave.embedded.redis import RedisServer
from slowwave.embedded.server import Server
from slowwave.embedded.services import EmbeddedServices

__all__ = ["EmbeddedServices", "PostgresServer", "RedisServer", "Server"]
