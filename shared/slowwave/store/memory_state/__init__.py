"""The state (`Standing`) of each memory: its tier and accesses. Changes of beliefs change these states, too."""
