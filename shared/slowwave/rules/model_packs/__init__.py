"""Model packs extract claims with a language model.

The modules of this folder make the requests, and check claims against the text.
"""
