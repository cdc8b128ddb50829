"""Answers: a question and its answer, two turns read together."""
