"""Words of English that several readers share; a list that only one of them needs stands beside it."""


def these(text: str) -> frozenset[str]:
    """Return the words of a list as a set."""
    return frozenset(text.split())


DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
DAY, MONTH = "|".join(DAYS), "|".join(MONTHS)
"""Expressions for the name of a day and of a month."""
NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12,
}  # fmt: skip
NUMBER = "|".join(NUMBERS)
FUNCTION_WORDS = these(
    """a about again all also am an and any are as at be been being but by can could did do does each for from had has
    have having he her here hers him his how i if in into is it its just me might mine more most must my no nor not of
    off on or other our ours out over own same shall she should so some such than that the their theirs them then there
    these they this those to too up us very was we were what when where which who whom whose why with would you your
    yours"""
)
"""Words of grammar, which name nothing."""
