"""Requests to a language model, its replies, and the claims read from them."""
