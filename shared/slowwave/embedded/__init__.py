"""Postgres and Redis from wheels, started and stopped for you: no container, no installation, no TCP port."""

from slowwave.embedded.postgres import PostgresServer
from slowwave.embedded.redis import CacheServer, RedisServer
from slowwave.embedded.server import Server
from slowwave.embedded.services import EmbeddedServices

__all__ = ["CacheServer", "EmbeddedServices", "PostgresServer", "RedisServer", "Server"]
