"""Providers: who answers for a language model, each behind the same port."""
