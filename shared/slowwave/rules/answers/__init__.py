"""Answers: a question and its answer, two turns read together."""

from slowwave.rules.answers.matching import Answers
from slowwave.rules.answers.questions import Question, questions

__all__ = ["Answers", "Question", "questions"]
