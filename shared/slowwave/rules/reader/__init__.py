"""Packs that read with a language model: what it is asked, and which of its claims stand against the words."""
