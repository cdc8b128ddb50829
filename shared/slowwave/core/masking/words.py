"""Words that announce secrets, and ordinary words around secrets, in seven languages."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Literal, NamedTuple

import re2

from slowwave.core.masking.spans import outside_masks

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


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


LINKS = _words(
    "is was are were be it's its thats that's now still with by using as use used goes hit put picked chose",
    "programmed need wants said says answered secret key either except then gave got remember set ist war lautet",
    "heißt heisst sind mit jetzt noch gib gebe geb nehme außer ausser dann bekommen schlüssel es era eran son con",
    "ahora pon puse uso usa usé luego dieron dio est était c'est c'était c’est avec sont maintenant fais faire mets",
    "puis donné reçu è sono adesso ora premi metti poi dato é eram são com agora aperta depois deram met zijn nu",
    "gebruik behalve kreeg dan",
)
"""Words before a secret."""
ITS = _words("it's its it’s is was es era son c'est c’est è é sind ist lautet")
"""The links that assign a value."""
OF_HAND = _words("its it's it’s c'est c’est use uso need son put with mit con avec met com")
"""Links between a number and the name of the thing that it opens after it."""
CHANGE_LINKS = _words("to from auf von zu in a de en par à por da per para naar van old new alt neu")
"""Words before a secret in a sentence about a change."""
BETWEEN = _words(
    "heute immer noch still now again hoy ahora siempre toujours sempre altijd always actually just currently",
    "gerade aktuell",
    "the le la el il lo o der die das de het",
)
"""Words that may be between a link and a secret."""
OTHER = _words(
    "user username usuario usuário utilisateur benutzer benutzername utente gebruiker gebruikersnaam host server ssid",
    "network email account order room flight bus train invoice ticket model version commit page phone call tel line",
    "ref port region tracking channel",
)
"""Names of other values than secrets."""
COMMON = _words("something anything nothing everything these those their numbers letters words google chrome")
"""Words that nobody uses as a password."""
FUNCTION = _words(
    "the a an and or but of to in on at for is are was were it that this with my your his her our their i you he she",
    "we they not no as by from so too der die das und oder aber ein eine mit von ist sind nicht auf zu ich du er sie",
    "wir es im den dem für el la los las un una de del que y o en con por para mi tu se lo le les des et est pas dans",
    "pour sur dans chez sous je il elle gli sul sulla nel nella di che non per da do os um uma não em e het een van",
    "niet op ik",
)
"""Words that join others in a sentence."""
ORDINARY = FUNCTION | _words(
    "wrong incorrect case very just only sent than really quite again always never still already also now then here",
    "there where what when why how which who weak strong long longer short shorter same different better worse faster",
    "slower slow fast down up out off free full broken required needed invalid right ok okay good bad fine great",
    "terrible awful safe secure unsafe easy hard simple something anything nothing someone like more less most least",
    "much many all any some each every both one two three four at about around over under between before after",
    "because if unless until while since written printed stored saved set known gone lost kept case-sensitive working",
    "spotty patchy dead dodgy flaky unstable garbage rubbish hopeless going being falsch richtig lang kurz schwach",
    "stark weg immer nur noch schon sehr langsam schnell kaputt dasselbe sicher unsicher zu schlecht gut abgelaufen",
    "leider muy mal mala malo buena bueno larga corta lenta lento igual demasiado más menos siempre solo obligatoria",
    "trop très toujours bien longue court refusé lent mauvais bon sempre troppo molto più meno ruim boa muito mais",
    "errada errado te zo erg traag langzaam altijd nog weer fout goed slecht get got have has had do does did can",
    "could will would should must may might hat haben kann muss wird hay ha tiene puede a ont peut può tem pode",
    "heeft kan moet",
)
"""First words of an ordinary sentence after `the password is`."""
DEMANDS = _words("must too not please your enter invalid wrong incorrect should use muss zu debe doit deve moet")
"""First words of a form's text about passwords."""
TYPING = tuple(
    _words("press punch type typing enter dial key tap tipp drück marc marqu puls tecle digit compos tape toets druk")
)
"""Beginnings of verbs of typing."""
NO_PASSWORD = _words(
    # english
    "above absurd accessible active alphanumeric alright annoying any apparent applicable argh asterisks available",
    "average awful back bad basic below beside blank blocked blurry bogus bool boolean boring brief brilliant broken",
    "bullshit bytes case certain char cheap childish clear clever clunky common complete complex compliant",
    "complicated confidential config confusing consistent controversial cool correct corrupt crap crazy critical",
    "crucial current cute daily dangerous dead decent default different difficult done downstairs due dull dumb",
    "easier effective elsewhere empty encrypted english essential everything everywhere exact excellent expired",
    "exposed extra fair fake familiar fiction fiddly field final fine finicky forever forgettable forgotten formal",
    "free fresh frozen frustrating fun function funny fussy general generic genius gibberish given gone gross halfway",
    "handy harder harmless hashed help hers hidden hilarious his historic hmm hopeless horrible http https huge ideal",
    "identical iffy important impossible input insane insecure inside insulting int intact integer invalid invisible",
    "ironic irrelevant irritating juvenile known lame legal legit legitimate lengthy live local locked lol loose lost",
    "lousy low lowercase mandatory manual maybe meaningless mediocre medium memorable messy mine minimal missing",
    "misspelled misspelt moderate modern monthly nasty near nearby neat necessary neutral never new nice none",
    "nonexistent nonsense nonsensical nope normal null number numeric nuts obscure obsolete obvious odd off offline",
    "ok okay old older online optional original other ours outdated outrageous outside overdue overkill overleaf",
    "overrated page pants pathetic perfect permanent personal picky plain plaintext please pointless poor present",
    "pretty private problematic proper public quick quiet random readable ready relevant request response ridiculous",
    "risky rubbish rude sacred sad safer scrambled secret sensitive serious session sexist shaky shameful shit short",
    "shown silly similar simpler simplistic sketchy slow smart solid somewhere sorry sound special specific stale",
    "standard static sticky stolen str strange strict string stronger stuck stupid such sufficient superb sure",
    "suspicious temporary terrific text thank thanks theirs tight tiny today tomorrow torn tough toxic trash tricky",
    "trivial true typed typical ugh ugly unclear underlined underneath unhelpful unique unknown unnecessary unrelated",
    "unsafe untrue upper uppercase upsetting upstairs urgent useless usual vague valid value varchar vile visual",
    "vital vulnerable weaker weekly weird wet why wild worthless wrong yeah yearly yep yes yesterday yours yuck",
    # german
    "abgelaufen albern alt anders anderswo banal bescheuert besser billig bitte blöd blödsinn bombensicher da danke",
    "doof dort draufgeklebt draussen drin dumm dämlich echt egal eindeutig einfach einfacher extrem fertig fest fies",
    "frei futsch geheim gemein genial genug geschichte gesperrt gleich gleiche groß harmlos heikel hier hin hinten",
    "irgendwas irgendwo ja klar klasse klein komisch komplett kompliziert korrekt krass kürzer leer leicht leider",
    "lustig länger mau mies mist mittel müll nein nett neu nie nirgends nochmal nutzlos oben oft peinlich perfekt",
    "perfekter pflicht prima primitiv privat quatsch rein schrott schwer schwieriger schwächer selbe sicherer",
    "sichtbar simpel sonst spitze spät stabil stärker super toll umsonst unbekannt unklar unsinn unten unter uralt",
    "verkehrt vertraulich vorbei weg wichtig witzig zufällig zuhause zwecklos zwingend überall",
    # spanish, portuguese
    "abajo absurda aleatoria alfanumérica allí antigua antiguo aquí arriba bastante buenísima básica certa clara",
    "común confidencial correcta corta curiosa dentro diferente difícil distinta débil errónea escuchar eterna",
    "evidente extraña falsa fatal forte fraca fuera fuerte fácil gracias graciosa horrorosa importante imposible",
    "incorrecta increíble inmensa insegura insegurísima inútil larga lenta malísima mayúscula mejor mentira misma",
    "mismo mía nada nova nuestra nueva numérica obligatoria obvia otra paciencia peor perfecta perfecto practicar",
    "privada provisional pésima pública rara rarísima ridícula rota secreta segura sencilla simple sí temporal tonta",
    "tontería tuya urgente vacía velha verdad vieja única",
    # french
    "absent absurde affreux ailleurs ancien bancal bizarre bon bête commun complexe compromis confidentiel connu",
    "dedans dehors dessous dessus difficile différent dingue drôle débile expiré facile faible faux fort gros génial",
    "haut ici identique idéal illisible incomplet inconnu incorrect incroyable inutile invalide long marrant mauvais",
    "merci moche moyen même neuf non nouveau nul numérique obligatoire oui pareil parfait parfaite partout perdu pire",
    "privé provisoire périmé ridicule rigolo robuste sensible solide suffisant sûr temporaire top vide vieux vrai",
    # italian
    "assurda banale bella breve brutta buffa complessa compromessa comune confusa corretta debole diversa errata",
    "fallita finita fuori giusta grazie ideale ignota impossibile leggibile lunga là media meglio mia nascosta",
    "normale nostra nota nuova obbligatoria orribile ottima ovunque ovvia pazienza peggio perfetta pessima privata",
    "provvisoria pubblica qua qui ridicola scorretta segreta semplice sicura sopra sotto sparita stessa strana",
    "temporanea tua unica vecchia vera visibile vuota",
)
"""Words about passwords, besides ordinary words, and types and placeholders of programs."""
USES = _words(
    "manager managers policy policies reset change changes hint list book generator field fields requirement rule",
    "prompt form protection length strength recovery reminder expiry email link protected box safe vault screen",
    "notebook sticker sheet works fails expires sucks stinks needs worked failed again please anymore yet today",
    "tomorrow yesterday somehow already somewhere anyway early often monthly weekly immediately once twice myself",
    "ourselves everybody everyone someone instead wrong check question problem issue trouble update attempt",
    "attempts error errors back too continue proceed login access register start begin play work enter join",
    "unlock open connect match print save sign log fast quickly finally vergessen ändern änderung zurücksetzen",
    "falsch bitte nochmal gestern heute morgen wechseln router banking liste eingeben anfordern fehlt stimmt",
    "abgelaufen schutz hilfe frage zettel spät fehler gefunden verloren nueva nuevo otra olvidada casa enero",
    "febrero oublié perdu changer urgence fretta ufficio banca ritardo dimenticata persa vacanza ferie línea",
    "ligne vano vain",
)
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
