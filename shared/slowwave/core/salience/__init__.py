"""Salience: how much a memory matters here and now, whatever is asked: used lately, confirmed often, worth keeping."""
