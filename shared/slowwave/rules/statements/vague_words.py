"""Words that mean little without the context, referents of *it*, and things that people own, from `statements.txt`."""

from slowwave.rules.statements.words import LISTS

VERBS = LISTS["verbs"]
NOUNS = LISTS["nouns"]
ADJECTIVES = LISTS["adjectives"]
ADVERBS = LISTS["adverbs"]
HOLLOW = VERBS | NOUNS | ADJECTIVES | ADVERBS
EMPTY = LISTS["empty"]
"""Words without weight, in addition to the words that mean nothing in any text."""
FAINT = LISTS["faint"]
"""Words that need other words to be specific, such as `book` and `team`."""
PERSONS = LISTS["persons"]
TOGETHER = LISTS["together"]
"""Nouns for groups, which people refer to as *them*."""
PLACES = LISTS["places"]
WORK = LISTS["work"]
"""Things of work. Before these words, *our* means the team's."""
HOME = LISTS["home"]
VALUED = LISTS["valued"]
"""Verbs, in the present tense, that state a property, place or time of a thing."""
TEAMWORK = LISTS["teamwork"]
"""Verbs of a team's work."""
