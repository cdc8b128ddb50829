"""Words that announce secrets, and ordinary words around secrets, in seven languages."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Literal, NamedTuple

import re2

from slowwave.core.masking.spans import outside_masks
from slowwave.core.predicates.english import these
from slowwave.word_lists import word_lists

About = Literal[
    "nothing", "question", "seed", "password", "pin", "serial", "key", "token", "code", "lock", "everywhere", "access"
]
"""The subject of a cue: a named secret, a lock that a code opens, or access in general, which is the weakest
subject."""
_CUES: dict[About, str] = {
    "nothing": r":code:|(?:error|fault|zip|post(?:al|leit)?|promo\w*|discount|coupon|voucher|gift|qr|bar|area"
    r"|country|dress|source|diall?ing|morse|course|booking|tracking|product|colou?r|referral|exit|status|http"
    r"|tax|sort|swift|cheat|airport|reservation|class|unit|flight|ateco|uni|geo|de|en|vs|byte|op|fehler"
    r"|gutschein|rabatt|aktions|strich|buchungs|länder|quell|fout|kortings|streepjes|hs|student|staff|style"
    r"|shader|obd|dtc|machine|python|legacy|building)[ -]?codes?\b|c[óo]digos? (?:postal|promo|fuente|qr"
    r"|civil|penal|de (?:err|barras|desc|vest|reserva|promo|prod|cliente|la? |conduct))|\bcodes? (?:postal"
    r"|promo|[àa] barres|d.erreur|erreur|de la route|de conduite|review|base|of conduct|block|civil|qr)"
    r"|\bcodic[ei] (?:postale|fiscale|sconto|ateco|cliente|prodotto|a barre|(?:di )?errore|qr|civile)"
    r"|(?:bobby|enamel|safety|rolling|hair) pins?\b|\bpins? (?:badge|board|number one)|secret (?:ingredient"
    r"|santa|garden)|token (?:limit|count)|max_tokens|bus tokens?|(?:is|are) (?:it |this |that )?safe\b"
    r"|(?:smoke|fire) alarms?\b|alarm clock|pass\w* (?:manager|hint|length|policy)|key (?:to|stage)\b"
    r"|safe (?:dos\w+|limit|level|distance|speed|range|zone|amount|maximum|minimum|temperature|weight|load|bet)"
    r"|(?:diagnos\w+|billing|procedure|icd|sku)[ -]?codes?\b|codes? of the colou?r"
    r"|clave de sol|serial killer|entrance (?:fee|exam|ticket)",
    "question": r"(?:security|secret) (?:question|answer)|(?:palabra clave|parola chiave) (?:con|del|de|para"
    r"|per)|code ?wor[dt]|memorable (?:word|phrase|name|place|date|info)|maiden name|pregunta (?:secreta"
    r"|de seguridad)|apellido de soltera|question (?:secrète|de sécurité)|nom de jeune fille|(?:sicherheits"
    r"|geheim)frage|mädchenname|domanda (?:segreta|di sicurezza)|cognome da nubile|pergunta (?:secreta"
    r"|de segurança)|nome de solteira|(?:geheime |beveiligings|controle)vraag|meisjesnaam",
    "seed": r"(?:seed|recovery|mnemonic|secret|backup|wallet|ledger|trezor|metamask|bitcoin|btc|crypto"
    r"|electrum|exodus|phantom)[ -](?:\w+ )?(?:words?|phrase|seed|wörter|woorden)|seed[ -]?(?:words|phrase"
    r"|wörter|woorden)|(?:palabras|frase|palavras|parole|mots|phrase) (?:semilla|de recuper|de récup"
    r"|di recupero|du wallet|del wallet|da carteira|del monedero|seed)|\b(?:12|24|twelve|twenty.four|zwölf"
    r"|doce|douze|dodici|doze|twaalf) (?:words|wörter|palabras|mots|parole|palavras|woorden)",
    "password": r"(?:wi-?fi|wlan|router) pass\b"
    r"|pass[ -]?(?:words?|wort|w[öo]rter|code|phrase|key)\b|passw[dr]\b|\bpw[ds]?\b|kennwort"
    r"|kennwörter|wachtwoord|\b(?:ww|mdp|psk|senha|contra|contrase(?:ñ|n)as?|claves?)\b|\bpass(?:[:=]| is"
    r"| for| to)|palavra-passe|\bmots? de passe|parola (?:d.ordine|chiave)|(?:,|\b(?:my|our|admin|master|root"
    r"|guest|e?mail|user|new|old|vpn)) pass\b|(?:wi-?fi|wlan|wpa2?)[ -]?(?:key|code|schl)|(?:clé|chiave"
    r"|sleutel) (?:del |du |van de |de la )?(?:wi-?fi|wlan|box)|\blog-?ins?\b|\bsign-?in\b|\bcreds\b"
    r"|credentials?\b|zugangsdaten|anmeldedaten|identifiants|credencia|credenzial|inloggegevens"
    r"|user(?:name)? ?(?:and|[/&+]) ?pass|netflix|spotify|disney|hulu|\bsteam\b|\bwi-?fi\b|\bwlan\b|(?:safe"
    r"|master|parental|security|secret|pick-?up) ?word\b|losungswort|codewort|(?:wi-?fi|wlan)[ -]?schlüssel\b"
    r"|(?:encryption|backup|secret|unlock|emergency|speech) (?:pass)?phrase",
    "pin": r"\b[mu]?pin\b|(?:karten|handy|sim)-?pin\b|\bpin-?(?:codes?|nummer|numm)\b|geheimzahl|\bpuks?\b"
    r"|\bnip\b",
    "serial": r"\bserial\b|serien(?:nummer|nr)|\blizenz\b|\blicen[cz]i?[ae]\b|\blicença|\blicenza|(?:número"
    r"|numero|numéro) (?:de|di) (?:serie|série|licen\w+)",
    "key": r"(?:api|access|account|client|encryption|licen[cs]e|private|secret|ssh|product|activation|setup"
    r"|recovery|steam|backup|bitlocker|security)[ _-]?keys?\b|\bsecret\b|api-schlüssel|clave (?:de )?api"
    r"|app ?id\b|api ?id\b|(?:lizenz|produkt|aktivierungs)(?:schl|nummer|key|code)|activat\w+ code"
    r"|clé (?:d.activation|de licence|produit)",
    "token": r"\btokens?\b|\bbearer\b|\bpat\b",
    "code": r"codes?\b|c[óo]digos?\b|\bcodic[ei]\b|(?:zugangs|tür|alarm|sicherheits|pin|digi|toegangs|deur"
    r"|tor|haus)codes?\b|combination|\bcombo\b|\bkombi\b|kombination|combinaci|combinaison|combinazion"
    r"|combinaç|combinatie|\bcv[vc]2?\b|\b[to]tp\b|\b(?:2fa|mfa|tan)\b|prüfziffer|digit (?:number|pin)"
    r"|stellige (?:zahl|nummer)|number for the|authenticator",
    "lock": r"lockers?\b|padlock|\bsafes?\b|strong ?box|strongroom|tresor|\bvault|\bgates?\b|\bdoors?\b"
    r"|lock ?box|key ?box|garage(?: door|.s| is| opens)|garaje|garagem|barrier|schranke|barrera|barrière"
    r"|storage unit|punch in|entry\b|key ?safe|disarm|deactivat|desactiv|\balarms?\b|alarmanlage|\balarma\b"
    r"|\balarme\b|allarme|keypad|teclado|tastiera|tasten|clavier|toetsen|alarm panel|entrance|eingang"
    r"|\bentrada\b|ingresso|ingang|cabinet|\blocks?\b|(?:keller|fahrrad|zahlen|vorhänge|tür|rad|koffer"
    r"|bügel)schloss|\bschloss\b|candado|cadenas\b|lucchetto|cadeado|hangslot|fietsslot|cijferslot|\bslot\b"
    r"|caja fuerte|cofre|coffre|cassaforte|\bkluis|taquilla|\bspind|schließfach|casier|armadietto|cacifo"
    r"|portón|portail|portone|portal|cancello|portão|poort\b|\btür\b|haustür|puerta|\bporte\b|\bporta\b"
    r"|\bdeur\b|voordeur|\btor\b|(?:garten|hof|garagen)tor\b|verja|intercom|(?:open\w*|unlock\w*|protect\w*"
    r"|locks?|locked) (?:with|by|using|con|met|on)\b|\bunlock|desbloque|entsperr|déverrouill|débloqu|sblocc"
    r"|ontgrendel|abre con|ouvre avec|apre con|abre com|geht mit|cajita|to get in|gets? you in|lets? you in"
    r"|buzzer|portero|interphone|citofon|sprechanlage|\bshed\b|suitcase\b|luggage|koffer|valigia|geldautomat"
    r"|cash ?(?:machine|card)|\batm\b|cajero|bancomat|packautomat|servicezugang|digicode|\bspin to\b|\btil+\b",
    "access": r"\baccounts?\b|\bpass\b|(?:chang|switch|reset|set)\w* it to\b|\bkonto\b|\bcuenta\b|\bcompte\b"
    r"|\bconta\b|portal|locked (?:me )?out|gesperrt|\bsession\b|caps|\btyp(?:e|es|ed|ing)\b|tippe?|found it"
    r"|i remember|encontr[éeo]|gefunden|retrouv|trovat|achei|gevonden|para entrar|pour entrer|per entrare"
    r"|zum anmelden|einlogg|inlogg|log(?:ged|ging)? (?:in|on)\b|loguear|paypal|\bebay\b|amazon|gmail|icloud"
    r"|instagram|facebook|tiktok|discord|usuario|schlüssel(?: ist| lautet|:)"
    r"|keepass|ssh-keygen|\bgpg\b|veracrypt|luks|bitwarden|hacked",
    "everywhere": r"for every|(?:pa|para|por) tod[oa]|für alles|pour tout|per tutto|overal\b|everywhere"
    r"|en todos|überall|partout|dappertutto|em tudo",
}
CUES = re2.compile("(?i)" + "|".join(f"(?P<{about}>{words})" for about, words in _CUES.items()))
ANY_CUE = "(?i:" + "|".join(words for about, words in _CUES.items() if about != "nothing") + ")"
"""A pattern of all cues, for a quick test."""
_BEFORE, _AFTER = 6, 3
"""The number of cues before and after a value that are examined, to limit work in a text full of cues."""

LISTS = word_lists("masking")
"""The words of `masking.txt`, by the name of their list."""
LINKS = LISTS["links"]
"""Words before a secret."""
ITS = these("it's its it’s is was es era son c'est c’est è é sind ist lautet")
"""The links that assign a value."""
OF_HAND = these("its it's it’s c'est c’est use uso need son put with mit con avec met com")
"""Links between a number and the name of the thing that it opens after it."""
CHANGE_LINKS = these("to from auf von zu in a de en par à por da per para naar van old new alt neu")
"""Words before a secret in a sentence about a change."""
BETWEEN = LISTS["between"]
"""Words that may be between a link and a secret."""
OTHER = LISTS["other"]
"""Names of other values than secrets."""
COMMON = these("something anything nothing everything these those their numbers letters words google chrome")
"""Words that nobody uses as a password."""
FUNCTION = LISTS["function"]
"""Words that join others in a sentence."""
ORDINARY = FUNCTION | LISTS["ordinary"]
"""First words of an ordinary sentence after `the password is`."""
DEMANDS = these("must too not please your enter invalid wrong incorrect should use muss zu debe doit deve moet")
"""First words of a form's text about passwords."""
TYPING = tuple(
    these("press punch type typing enter dial key tap tipp drück marc marqu puls tecle digit compos tape toets druk")
)
"""Beginnings of verbs of typing."""
NO_PASSWORD = LISTS["no password"]
"""Words about passwords, besides ordinary words, and types and placeholders of programs."""
USES = LISTS["uses"]
"""Words other than passwords that follow a password's name, or the news that it changed."""


class Cue(NamedTuple):
    """A word about secrets, from *start* to *end* in a text."""

    start: int
    end: int
    about: About


def cues_in(text: str) -> list[Cue]:
    """Return the cues in *text*, in order. Cues in masks and cues without a secret (`zip code`) are left out."""
    found = (Cue(one.start(), one.end(), one.lastgroup) for one in CUES.finditer(text))
    return outside_masks(text, (cue for cue in found if cue.about != "nothing"))


def near(cues: Sequence[Cue], start: int, end: int) -> Sequence[Cue]:
    """Return the last of *cues* before the characters from *start* to *end*, and the first one after them."""
    return cues[max(0, bisect_left(cues, (start,)) - _BEFORE) : bisect_left(cues, (end,)) + _AFTER]
