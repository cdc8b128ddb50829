"""Erasure: the places of a person's words, requests to forget, and receipts."""
