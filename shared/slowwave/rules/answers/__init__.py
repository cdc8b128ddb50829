"""Answers: a question and its answer, two turns read together."""

from slowwave.rules.answers.asking import Question, questions
from slowwave.rules.answers.matching import Answers

__all__ = ["Answers", "Question", "questions"]
