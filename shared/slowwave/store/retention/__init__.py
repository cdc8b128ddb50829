"""Archive, expiry, legal holds and partitions."""
