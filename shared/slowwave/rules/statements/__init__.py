"""Statements: sentences in the third person about people's own lives, made from their messages."""
