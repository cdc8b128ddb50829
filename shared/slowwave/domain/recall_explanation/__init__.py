"""Explanations of answers: the effect of each stage and each measure."""
