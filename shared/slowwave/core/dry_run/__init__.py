"""A trial of a pack: the beliefs from some episodes with the pack, compared with those without it."""
