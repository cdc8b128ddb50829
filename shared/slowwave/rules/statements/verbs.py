"""English verb forms: recognition, lemma, and the past."""

from functools import lru_cache

from slowwave.core.predicates.english import IRREGULAR
from slowwave.rules.statements.words import ADVERBS, these

PAST = {past: forms[0] for forms in IRREGULAR for past in forms[1:2] if past != forms[0]} | {"were": "be"}
PARTICIPLE = {forms[-1]: forms[0] for forms in IRREGULAR}
_PAST_OF = {base: form for form, base in PAST.items() if base != "be"}
_IRREGULAR_BASE = frozenset(forms[0] for forms in IRREGULAR)

REGULAR = these(
    """accept achieve act adapt add admire admit adopt advise agree aim allow answer apologize appear apply appreciate
    arrange arrive ask assist attach attempt attend avoid bake balance battle belong bike blend boost book borrow bond
    bounce brainstorm brew brush call calm camp cancel capture care carry carve celebrate challenge change chase chat
    check cheer cherish clean clear climb close coach collaborate collect combine commit compare compete complete
    connect consider consult contact continue contribute cook cope create cruise cry cuddle cycle dance date decide
    decorate dedicate delight deliver deserve design detail develop discover discuss donate doubt drop earn edit embrace
    emphasize encourage end enjoy enroll ensure enter escape establish exercise expand expect experience experiment
    explain explore express face fail fear fill film finish fish fit fix focus follow foster gain garden garner gather
    graduate handle happen harvest hate head heal help hike hire hope host hug imagine improve include indulge inspire
    install intend interview introduce invest invite jog join juggle jump kayak kick knit land last launch laugh lift
    like listen live look love manage marry massage matter meditate mention mentor miss mix motivate move name need note
    notice nurture offer open order organise organize own pack paint participate pass perform pick plan plant play
    polish post pour practice practise pray prefer prepare present preserve prioritize promote protect prove provide
    publish purchase pursue push race raise reach realise realize receive recharge recommend reconnect record recover
    recycle redecorate redesign refresh register rehearse relate relax relocate rely remain remember remind remodel
    renovate rent repair replace report request rescue research resign respect rest restore retire return review reward
    rock roast sail save savor schedule score scream search secure select serve share shop sign sketch skate ski skip
    skype smile snap soak solve specialise specialize spot start stay step stop stream strengthen stress stretch strive
    struggle study submit suffer suggest support suppose surf surprise surround survive swap talk taste tend text thank
    tour train transfer transform transition translate travel treasure treat trust try turn twist uncover update upgrade
    use value view visit volunteer wait walk want warm wash waste watch water welcome wish wonder work worry worship
    yearn crochet bless adore bathe stroll bowl craft debate rap reply tackle vlog blog code upload address afford
    analyze announce assemble believe blame block boil brave broaden browse bump cater chill clarify comfort confuse
    crash crave damage defeat depend describe disappoint drag dread dress dry educate email empower engage entertain
    evaluate exchange excite fascinate fundraise fund grab greet grieve guide hurry identify ignore impact impress
    increase influence inform injure judge kiss lack level link list load lower mail mark mess freak wrap melt memorize
    mourn nail navigate network obsess observe obtain park partner perfect persuade phone photograph pitch pop possess
    praise process produce program progress promise punish question rank reassure rediscover reflect regret reject
    resonate retreat revise risk ruin rush satisfy scan scare scratch sense separate settle shape shift shock shower
    slip slow smell smoke soothe sort sound sponsor squeeze stare stock store structure succeed sustain target team
    tempt test tidy tie tire top trace track trade trap unite unwind vent vow wander weigh witness zone cause download
    print stitch tutor hunt gamble skydive snowboard snorkel dive barbecue grill symbolize represent energize fuel
    commute stutter guess ship deploy migrate refactor merge partition configure debug patch renew swallow prescribe
    diagnose operate inherit elect rename invoice lint switch"""
)
BASE = REGULAR | _IRREGULAR_BASE


@lru_cache(maxsize=4_096)
def lemma(word: str) -> str:
    """Return the dictionary form of a verb.

    >>> [lemma(word) for word in ("went", "tried", "hiking", "stopped", "loves", "is")]
    ['go', 'try', 'hike', 'stop', 'love', 'be']
    """
    if word in ("am", "is", "are", "'m", "'s", "'re", "being"):
        return "be"
    if word in ("has", "'ve", "having"):
        return "have"
    if word in BASE:
        return word
    if found := PAST.get(word) or PARTICIPLE.get(word):
        return found
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 2:
            return _base(word[: -len(ending)], ending)
    return word


def _base(stem: str, ending: str) -> str:
    doubled = stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else stem
    if ending in ("ed", "es") and stem.endswith("i"):
        return stem[:-1] + "y"
    for form in (stem, stem + "e", doubled):
        if form in BASE:
            return form
    return stem + "e" if ending in ("ing", "ed") and stem[-1] in "vcgzu" else stem


def is_past(word: str) -> bool:
    """Return whether *word* can be a verb in the past tense.

    >>> is_past("went"), is_past("painted"), is_past("need"), is_past("hundred")
    (True, True, False, False)
    """
    if word in PAST:
        return True
    if word in BASE or not word.endswith("ed") or len(word) < 4:
        return False
    return lemma(word) in BASE


def past(word: str) -> str:
    """Return the past tense of a base form.

    >>> [past(word) for word in ("go", "love", "try", "want")]
    ['went', 'loved', 'tried', 'wanted']
    """
    if word in _PAST_OF:
        return _PAST_OF[word]
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ied"
    return word + ("d" if word.endswith("e") else "ed")


def is_base(word: str) -> bool:
    """Return whether *word* can be the base form of a verb."""
    return word in BASE


def is_unknown_base(word: str) -> bool:
    """Return whether *word*, right after `I` or `we`, must be the base form of an unlisted verb.

    >>> [is_unknown_base(word) for word in ("count", "mount", "love", "counted", "will", "shed", "really")]
    [True, True, False, False, False, False, False]
    """
    known = word in BASE or word in ADVERBS or word in _NO_BASE or is_past(word)
    return not known and word.isalpha() and len(word) > 2 and not word.endswith(("ed", "ing", "s", "ly"))


_NO_BASE = these(
    """will would can could should may might must shall had did was were has been being used ought dare shed knit wed
    are am were is does rid slit thrust cast bid wanna gonna gotta and but who the all both too just not
    never ever even"""
)
