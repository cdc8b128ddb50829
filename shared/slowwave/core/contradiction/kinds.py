"""Kinds of things of which a person uses only one at a time, such as browsers, and plans that another plan replaces."""

import re
from collections.abc import Collection
from functools import lru_cache

from slowwave.core.contradiction.fulfilment import planned
from slowwave.core.contradiction.words import stem, stems, words_of
from slowwave.core.predicates.english import DAY, MONTH, these

_USED = "use have be run write code deploy store host switch move listen bank pay chat browse build keep track file"
_DRUNK = "drink take"
_DRIVEN = "drive"
_KINDS = (
    ("browser", _USED, "firefox; chrome; brave; safari; edge; opera; vivaldi; chromium; librewolf; arc browser"),
    ("search engine", _USED, "google search; bing; kagi; duckduckgo; ecosia; startpage"),
    ("editor", _USED, "vim; neovim; emacs; vs code; vscode; sublime; intellij; pycharm; zed; webstorm; cursor; rider"),
    ("messenger", _USED, "whatsapp; signal; telegram; viber; slack; discord; ms teams; microsoft teams; zulip; wechat"),
    ("password manager", _USED, "lastpass; bitwarden; 1password; keepass; keepassxc; dashlane; proton pass"),
    ("notes app", _USED, "evernote; onenote; obsidian; notion; joplin; logseq; google keep; apple notes"),
    ("mail service", _USED, "gmail; outlook; fastmail; protonmail; proton mail; yahoo mail; hotmail"),
    ("music service", _USED, "spotify; tidal; deezer; apple music; youtube music; amazon music; qobuz"),
    ("operating system", _USED, "windows; linux; macos; mac; macbook; ubuntu; fedora; debian; chromebook"),
    ("phone", _USED, "iphone; android; samsung; pixel; fairphone; oneplus; nokia; xiaomi; huawei"),
    (
        "plan",
        "be have use pay subscribe",
        "pro plan; plus plan; premium plan; basic plan; enterprise plan; team plan; free plan; gold plan; silver plan"
        "; standard plan; family plan; unlimited plan; starter plan; ultimate plan",
    ),
    ("tablet", _USED, "ipad; samsung tablet; galaxy tab; android tablet; kindle fire; fire tablet; surface pro"),
    ("bank", _USED, "monzo; revolut; starling; barclays; hsbc; lloyds; natwest; santander; n26; chase; wells fargo"),
    ("mobile network", _USED, "vodafone; o2; verizon; t-mobile; giffgaff; telekom"),
    ("issue tracker", _USED, "jira; linear; trello; asana; clickup; youtrack; basecamp; github issues; todoist"),
    ("ci", _USED, "jenkins; github actions; gitlab ci; circleci; travis; buildkite; teamcity; azure pipelines"),
    ("code host", _USED, "github; gitlab; bitbucket; codeberg; gitea; sourcehut"),
    ("cloud", _USED, "aws; azure; gcp; google cloud; hetzner; digitalocean; heroku; vercel; netlify; linode; ovh"),
    ("database", _USED, "postgres; postgresql; mysql; mariadb; sqlite; mongodb; mongo; oracle; cockroachdb; dynamodb"),
    ("message broker", _USED, "rabbitmq; kafka; nats; sqs; pulsar; activemq"),
    ("frontend framework", _USED, "react; vue; svelte; angular; ember; htmx"),
    ("design tool", _USED, "figma; sketch; adobe xd; penpot; canva"),
    ("meeting tool", _USED, "zoom; google meet; webex; jitsi; skype"),
    ("file store", _USED, "dropbox; onedrive; google drive; icloud; nextcloud"),
    ("bookkeeping", _USED, "xero; quickbooks; freshbooks; datev"),
    ("shop system", _USED, "shopify; woocommerce; magento; etsy"),
    (
        "subject",
        "study major",
        "biology; chemistry; physics; mathematics; maths; medicine; law; economics; psychology; philosophy; sociology"
        "; linguistics; geography; engineering; computer science; architecture; history; pharmacy; nursing; geology"
        "; anthropology; journalism; business administration; political science; biochemistry; dentistry; theology",
    ),
    ("employer", "", "employer"),
    ("household", "", "household"),
    ("version", "", "version"),
    ("hot drink", _DRUNK, "coffee; tea; decaf; matcha; cocoa; espresso; yerba mate"),
    ("milk", _DRUNK, "oat milk; almond milk; soy milk; soya milk; cow's milk; whole milk; skimmed milk; coconut milk"),
    (
        "car",
        _DRIVEN,
        "honda; toyota; tesla; ford; volkswagen; vw; bmw; audi; volvo; skoda; fiat; renault; peugeot; seat; kia"
        "; hyundai; nissan; mazda; subaru; opel; vauxhall; jeep; lexus; dacia; citroen; corsa; prius; civic",
    ),
)
"""Each kind, the verbs for having one, and its things."""
_VERBS = {kind: stems(verbs) for kind, verbs, _ in _KINDS}
_THINGS = [(frozenset(words_of(thing)), kind) for kind, _, things in _KINDS for thing in things.split(";")]
NAMES = "|".join(
    re.escape(name)
    for name in sorted(
        {name.strip() for _, verbs, things in _KINDS if verbs for name in things.split(";")}, key=lambda n: (-len(n), n)
    )
)
"""A pattern for the names of all listed things, in lower case, longer ones first."""
_BESIDE = tuple(map(stems, (
    "dog cat rabbit hamster horse goldfish parrot hen chicken sheep cow goat pig snake tortoise ferret",
    "piano guitar violin cello drum flute clarinet trumpet saxophone harp viola ukulele accordion organ bass",
    "tennis squash badminton football rugby cricket hockey golf swimming running cycling judo karate yoga pilates",
    "tea coffee beer wine whisky gin vodka rum cider milk juice water cola cocoa",
    "chicken beef pork bread butter cheese milk egg rice pasta pizza sugar fruit vegetables chocolate",
    "car bike motorbike scooter boat van caravan train bus tram plane truck tractor",
    "book magazine newspaper film radio podcast music television",
    "house flat garden kitchen bedroom bathroom garage shed allotment office school university",
)))  # fmt: skip
"""Stems of things of which people may have several at the same time."""
_WORD = re.compile("[a-z]+")
_KNOWN = frozenset().union(*(words for words, _ in _THINGS))
_OTHERS = stems("tv telly television fridge freezer oven dishwasher microwave dryer monitor printer piano bike seat")
"""Stems of things that have the name of a phone or a car, but are neither, such as a Samsung TV or a car seat."""
_SINGLE = {"employer": "works_at", "household": "lives_in"}
"""Kinds that are named by the kind itself, with their predicates."""
_TYPED = frozenset(("team_uses", "drives", "owns", "has", "runs_on", "studies", "customer_of"))
_NAMED = re.compile(r"\b(?P<verb>[a-z]+)(?P<by> (?:to|in|with|at|through|around))? (?P<name>[A-Z][\w'-]+)")
_NO_VERB = these("the a an my our and or of from is are on by this next last")
_NO_NAME = re.compile(rf"I\b|(?i:{DAY}|{MONTH}|christmas|easter)")
TRIPS = frozenset(("trip", "holiday", "vacation", "journey", "getaway", "flight"))
"""Stems of words for a journey. The cancelled `Rome trip` ends the plan to go to Rome."""
_TRAVELLED = re.compile(r"(?:go|going|fly|travel|drive|head|sail|cycl|off) to|visit|(?:go|going|travel) around")
_OF_ANYTHING = stems(
    """buy get do make have take go see order bring find try use start visit read meet call ring watch eat drink cook
    play write send talk ask"""
)
"""General verbs. A plan with such a verb replaces another plan only if both plans are about things of one kind."""
_WEDDING = re.compile(r"\b(?:marry|marrying|(?:get|getting|be) married)\b")


@lru_cache(maxsize=4_096)
def things_in(words: frozenset[str]) -> frozenset[tuple[str, frozenset[str]]]:
    """Return each thing that the stems *words* name, as its kind and its stems. `Apple Music` is one thing.

    >>> things_in(frozenset(words_of("uses Firefox"))) == {("browser", frozenset({"firefox"}))}
    True
    """
    if words.isdisjoint(_KNOWN) or not words.isdisjoint(_OTHERS):
        return frozenset()
    found = [(kind, thing) for thing, kind in _THINGS if thing <= words]
    return frozenset((kind, thing) for kind, thing in found if not any(thing < other for _, other in found))


def kinds_in(words: Collection[str]) -> frozenset[str]:
    """Return the kinds of the things that the stems *words* name."""
    return frozenset(kind for kind, _ in things_in(frozenset(words)))


def names_used(predicate: str, words: frozenset[str]) -> frozenset[str]:
    """Return the stems of the names of kinds, such as `phone`, for the things that somebody has or uses according to a
    belief with *predicate* and *words*.

    >>> names_used("have", frozenset({"iphon"})), names_used("like", frozenset({"iphon"}))
    (frozenset({'phon'}), frozenset())
    """
    verb = _verb(predicate)
    kinds = (kind for kind in kinds_in(words) if predicate in _TYPED or not verb.isdisjoint(_VERBS[kind]))
    return frozenset(word for kind in kinds for word in words_of(kind))


def are_of_one_kind(one: str, other: str) -> bool:
    """Return whether two stems name different things of one kind, and are not synonyms.

    >>> are_of_one_kind("cat", "dog"), are_of_one_kind("labrador", "dog")
    (True, False)
    """
    mine, its = kinds_in((one,)), kinds_in((other,))
    return not mine.isdisjoint(its) or any({one, other} <= each for each in _BESIDE)


def _verb(predicate: str) -> set[str]:
    return {stem(word) for word in _WORD.findall(predicate)} | ({"be"} if predicate.endswith(": name") else set())


def is_other_version(old: str, new: str) -> bool:
    """Return whether two version numbers can be versions of one thing, by their form.

    >>> is_other_version("3.13", "3.11"), is_other_version("3.13", "15.2"), is_other_version("20", "3.11")
    (True, False, False)
    """
    mine, its = old.split("."), new.split(".")
    alike = mine[0] == its[0] if len(mine) > 1 else bool(old)
    return old != new and alike and (len(mine) > 1) == (len(its) > 1)


def _number(words: Collection[str]) -> str:
    numbers = [word for word in words if word[0].isdigit()]
    return numbers[0] if len(numbers) == 1 else ""


def is_left(form: str, predicate: str, words: frozenset[str], new: Collection[str]) -> bool:
    """Return whether a belief with *predicate* and *words* is about using a thing, and *new* names another thing of the
    same kind.

    >>> is_left("statement", "use", frozenset({"firefox"}), ("brav",))
    True
    >>> is_left("statement", "like", frozenset({"firefox"}), ("brav",))
    False
    """
    gone_over_to = dict(things_in(frozenset(new)))
    if not gone_over_to.keys().isdisjoint(_SINGLE):
        return any(predicate == _SINGLE.get(kind) for kind in gone_over_to) and not words.issuperset(new)
    if "version" in gone_over_to:
        return form == "typed" and is_other_version(_number(words), _number(new))
    verb = _verb(predicate)
    return any(
        kind in gone_over_to
        and gone_over_to[kind] != thing
        and not gone_over_to[kind] <= words
        and (predicate in _TYPED if form == "typed" else not verb.isdisjoint(_VERBS[kind]))
        for kind, thing in things_in(words)
    )


@lru_cache(maxsize=4_096)
def named_plans(text: str) -> dict[str, str]:
    """Return the names in *text* that follow a verb, by verb and preposition.

    >>> named_plans("Nora is going to Portugal in July 2026"), named_plans("I meet Ana on Tuesday")
    ({'going to': 'Portugal'}, {'meet': 'Ana'})
    """
    found = (one for one in _NAMED.finditer(text) if one["verb"] not in _NO_VERB and not _NO_NAME.match(one["name"]))
    return {f"{stem(one['verb'])}{one['by'] or ''}": one["name"] for one in found}


def plan_words(text: str) -> frozenset[str]:
    """Return the words by which a report of a change refers to a plan: the plan's verbs, and words such as `trip` and
    `wedding`.
    """
    plans = {*named_plans(text), *([stem("wedding")] if _WEDDING.search(text) else ())}
    trips = TRIPS if "fly to" in plans else TRIPS - {"flight"}
    return frozenset(plans) | (trips if any(map(_TRAVELLED.fullmatch, plans)) else frozenset())


def verbs_instead(now: str) -> frozenset[str]:
    """Return the verbs of *now*, an activity or plan that replaces another.

    >>> verbs_instead("going to Oslo"), verbs_instead("going to study medicine"), verbs_instead("fine")
    (frozenset({'going to'}), frozenset({'study'}), frozenset())
    """
    plan = planned(now)
    return frozenset(named_plans(now)) | (plan.verbs if plan and plan.thing else frozenset())


def is_displaced(before: str, now: str) -> bool:
    """Return whether *now* names another place, person or thing for the plan *before*.

    >>> is_displaced("Sam is going to study law", "going to study medicine")
    True
    >>> is_displaced("Sam is planning to buy an Audi", "going to buy a lamp")
    False
    """
    other = named_plans(now)
    if any(plan in other and other[plan] != name for plan, name in named_plans(before).items()):
        return True
    old, new = planned(before), planned(now)
    if old is None or new is None or not old.verbs or old.verbs != new.verbs:
        return False
    if not (old.thing and new.thing) or old.thing[-1] == new.thing[-1]:
        return False
    return old.verbs.isdisjoint(_OF_ANYTHING) or not kinds_in(old.thing).isdisjoint(kinds_in(new.thing))


def is_under_way(text: str, now: str) -> bool:
    """Return whether *text* says that the activity in *now* is in progress.

    >>> is_under_way("Sam is learning Spanish", "learning Italian"), is_under_way("Sam learns Welsh", "learning Irish")
    (True, False)
    """
    return f" is {now.split()[0]} " in text
