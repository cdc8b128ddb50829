"""Salience: how much a memory matters now, whatever the question: by recent use, confirmations and importance."""
