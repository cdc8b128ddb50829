"""How property tests run here: without a deadline, for a busy machine is no mistake of the code."""

from hypothesis import settings

settings.register_profile("slowwave", deadline=None, print_blob=True)
settings.load_profile("slowwave")
