"""Providers of language models, each behind the same port."""
