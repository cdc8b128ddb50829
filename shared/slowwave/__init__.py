"""The night shift of an agent's memory."""
