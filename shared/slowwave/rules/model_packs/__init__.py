"""Model packs extract claims with a language model.

This room makes the requests, and checks claims against the text.
"""
