"""Explanations of answers: what each stage and each measure did for them."""
