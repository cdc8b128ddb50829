"""Words of English that several readers share: lists, plurals, and irregular verbs."""

import re
from functools import lru_cache

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
_PLAIN = re.compile(r"[a-z]{3,}")
_HISSES = ("s", "x", "z", "ch", "sh")
_NO_PLURALS = ("ss", "us", "is", "zz", "ing")
_LISTED = """
    news series species glasses sales customs goods savings headquarters spirits manners odds means thanks remains
    outskirts whereabouts diabetes rabies maths always sometimes perhaps besides afterwards towards upwards downwards
    overseas upstairs downstairs indoors outdoors nowadays whereas yes
"""
_ALONE = frozenset(_LISTED.split())
"""Words that look like plurals, but have no singular, or have a singular with another meaning."""
_ICS = frozenset(("topics", "clinics", "fabrics", "comics", "mechanics", "critics", "picnics", "relics"))
"""Plural words in *ics*; the other words in *ics* name a field or activity: mathematics."""
_PLURALS = """
    child/children grandchild/grandchildren man/men woman/women person/people foot/feet tooth/teeth goose/geese
    mouse/mice louse/lice ox/oxen die/dice knife/knives wife/wives life/lives leaf/leaves loaf/loaves wolf/wolves
    shelf/shelves bookshelf/bookshelves half/halves calf/calves thief/thieves scarf/scarves elf/elves hoof/hooves
    potato/potatoes tomato/tomatoes hero/heroes echo/echoes veto/vetoes volcano/volcanoes mosquito/mosquitoes
    bus/buses gas/gases virus/viruses cactus/cacti fungus/fungi campus/campuses bonus/bonuses movie/movies
    cookie/cookies selfie/selfies zombie/zombies analysis/analyses crisis/crises thesis/theses
    diagnosis/diagnoses quiz/quizzes lens/lenses canvas/canvases christmas/christmases atlas/atlases alias/aliases
    iris/irises pancreas/pancreases
"""
_IRREGULAR = dict(pair.split("/") for pair in _PLURALS.split())
"""A map from singulars to irregular plurals."""
_SEVERAL_PEOPLE = re.compile(
    r"(?:^|'s )(?:kids|children|sons|daughters|parents|grandparents|twins|sisters|brothers|friends)$"
)
_VERBS = """
be was were been; beat beat beaten; become became become; begin began begun; bend bent; bet bet; bind bound; bite bit
bitten; bleed bled; blow blew blown; break broke broken; breed bred; bring brought; build built; burn burnt; burst
burst; buy bought; catch caught; choose chose chosen; come came come; cost cost; creep crept; cut cut; deal dealt; dig
dug; do did done; draw drew drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell
fallen; feed fed; feel felt; fight fought; find found; flee fled; fly flew flown; forget forgot forgotten; forgive
forgave forgiven; freeze froze frozen; get got gotten; give gave given; go went gone; grow grew grown; hang hung; have
had; hear heard; hide hid hidden; hit hit; hold held; hurt hurt; keep kept; kneel knelt; know knew known; lay laid;
lead led; learn learnt; leave left; lend lent; let let; lie lay lain; light lit; lose lost; make made; mean meant;
meet met; pay paid; put put; quit quit; read read; ride rode ridden; ring rang rung; rise rose risen; run ran run; say
said; see saw seen; seek sought; sell sold; send sent; set set; sew sewed sewn; shake shook shaken; shine shone; shoot
shot; show showed shown; shut shut; sing sang sung; sink sank sunk; sit sat; sleep slept; slide slid; speak spoke
spoken; spend spent; spill spilt; spin spun; split split; spread spread; stand stood; steal stole stolen; stick stuck;
strike struck; swear swore sworn; sweep swept; swim swam swum; swing swung; take took taken; retake retook retaken;
rebuild rebuilt; redo redid redone; overcome overcame overcome; rewrite rewrote rewritten; babysit babysat; teach
taught; tear tore torn; tell told; think thought; throw threw thrown; understand understood; wake woke woken; wear
wore worn; weave wove woven; win won; wind wound; write wrote written; weep wept; leap leapt; lean leant; dwell dwelt;
spell spelt; sow sowed sown; mow mowed mown; undergo underwent undergone; undertake undertook undertaken; withdraw
withdrew withdrawn; outgrow outgrew outgrown; oversleep overslept; mistake mistook mistaken; swell swelled swollen;
shrink shrank shrunk; string strung; bear bore borne
"""
IRREGULAR = [forms.split() for forms in _VERBS.replace("\n", " ").split(";")]
"""Each verb with its past tense and its participle; one form for both where they are the same."""
PAST_VERB = "|".join((*dict.fromkeys(form for forms in IRREGULAR[1:] for form in forms[1:]), "[a-z]{2,}ed"))
"""A pattern for verbs in the past tense and participles, without `was` and `were`, which are not deeds."""


def these(text: str) -> frozenset[str]:
    """Return the words of a list as a set."""
    return frozenset(text.split())


FUNCTION_WORDS = these(
    """a about again all also am an and any are as at be been being but by can could did do does each for from had has
    have having he her here hers him his how i if in into is it its just me might mine more most must my no nor not of
    off on or other our ours out over own same shall she should so some such than that the their theirs them then there
    these they this those to too up us very was we were what when where which who whom whose why with would you your
    yours"""
)
"""Words of grammar, which name nothing."""


_OF_ONE = {many: one for one, many in _IRREGULAR.items()}
_OF_MANY = re.compile(rf"(?<![\w'’-])(?:[a-z]{{2,}}s|{'|'.join(_OF_ONE)})(?![\w'’-])")


@lru_cache(maxsize=4096)
def single(word: str) -> str:
    """Return a plain word in the singular; names, singulars and uncountable words are returned unchanged.

    >>> [single(word) for word in ("boxes", "berries", "children", "wives", "dog", "Adams", "jazz", "bus", "buses")]
    ['box', 'berry', 'child', 'wife', 'dog', 'Adams', 'jazz', 'bus', 'bus']
    """
    if word in _OF_ONE:
        return _OF_ONE[word]
    if word in _IRREGULAR or not word.endswith("s") or not _counts(word):
        return word
    if word.endswith("ics") and word not in _ICS:
        return word
    one = _stripped(word)
    return one if with_s(one) == word else word


@lru_cache(maxsize=4096)
def many(word: str) -> str:
    """Return a plain singular word in the plural; names and uncountable words are returned unchanged.

    >>> [many(word) for word in ("box", "berry", "child", "day", "Adam", "running")]
    ['boxes', 'berries', 'children', 'days', 'Adam', 'running']
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    return with_s(word) if _counts(word) and _stripped(with_s(word)) == word else word


def singles(text: str) -> str:
    """Return *text* with each plain word in the singular.

    >>> singles("The Wolves' children like old cars")
    "The Wolves' child like old car"
    """
    return _OF_MANY.sub(lambda found: single(found[0]), text)


def with_s(word: str) -> str:
    """Return a noun in the regular plural, or a verb in the third person: `boxes`, `carries`."""
    if word.endswith("y") and not word.endswith(("ay", "ey", "oy", "uy")):
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(_HISSES) else f"{word}s"


def is_several(subject: str) -> bool:
    """Return whether *subject* is plural: a role of several people, or several things.

    >>> is_several("Nora's kids"), is_several("slides"), is_several("Nora's boss"), is_several("Athens")
    (True, True, False, False)
    """
    last = subject.rpartition(" ")[2]
    things = last.isalpha() and last.islower() and "'" not in subject and single(last) != last
    return things or _SEVERAL_PEOPLE.search(subject) is not None


def _counts(word: str) -> bool:
    return _PLAIN.fullmatch(word) is not None and word not in _ALONE and not word.endswith(_NO_PLURALS)


def _stripped(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith("es") and word[:-2].endswith(_HISSES):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word
