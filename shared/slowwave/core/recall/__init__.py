"""Recall, where it decides: which memories answer a question best, from what a scan of them has measured."""
