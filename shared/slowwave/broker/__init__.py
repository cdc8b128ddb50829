"""The message broker: the queue of messages to workers, and the envelope of each message."""
