"""Answers: two turns that say together what neither says alone, a question and what is said to it."""

from slowwave.rules.answers.asking import Question, questions
from slowwave.rules.answers.matching import Answers

__all__ = ["Answers", "Question", "questions"]
