"""Queries for episodes, conversations, mentions, profiles and unread turns."""
