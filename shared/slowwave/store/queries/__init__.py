"""Reads of episodes, conversations, mentions, profiles and unread turns."""
