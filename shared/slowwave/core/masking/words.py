"""Ordinary words around secrets, in English, German, Spanish, French, Italian, Portuguese and Dutch."""


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
"""Words after which people tell a secret."""
ITS = _words(
    "it's its it’s is was es era son c'est c’est è é sind ist lautet",
)
"""Those of the links that assign."""
OF_HAND = _words("its it's it’s c'est c’est use uso need son put with mit con avec met com")
"""Links to a number that stands before the name of what it opens."""
CHANGE_LINKS = _words(
    "to from auf von zu in a de en par à por da per para naar van old new alt neu",
)
"""Words after which people tell a secret if they tell of a change."""
BETWEEN = _words(
    "heute immer noch still now again hoy ahora siempre toujours sempre altijd always actually just currently",
    "gerade aktuell",
    "the le la el il lo o der die das de het",
)
"""Words that may stand between a link and a secret."""
OTHER = _words(
    "user username usuario usuário utilisateur benutzer benutzername utente gebruiker gebruikersnaam host server ssid",
    "network email account order room flight bus train invoice ticket model version commit page phone call tel line",
    "ref port region tracking channel",
)
"""Names of what a value is instead of a secret."""
COMMON = _words(
    "something anything nothing everything these those their numbers letters words google chrome",
)
"""Words that nobody uses as a password."""
FUNCTION = _words(
    "the a an and or but of to in on at for is are was were it that this with my your his her our their i you he she",
    "we they not no as by from so too der die das und oder aber ein eine mit von ist sind nicht auf zu ich du er sie",
    "wir es im den dem für el la los las un una de del que y o en con por para mi tu se lo le les des et est pas dans",
    "pour je il elle gli di che non per da do os um uma não em e het een van niet op ik",
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
    "muy mal mala malo buena bueno larga corta lenta lento igual demasiado más menos siempre solo obligatoria trop",
    "très toujours bien longue court refusé lent mauvais bon sempre troppo molto più meno ruim boa muito mais errada",
    "errado te zo erg traag langzaam altijd nog weer fout goed slecht get got have has had do does did can could will",
    "would should must may might hat haben kann muss wird hay ha tiene puede a ont peut può tem pode heeft kan moet",
)
"""First words of an ordinary sentence after `the password is`."""
DEMANDS = _words(
    "must too not please your enter invalid wrong incorrect should use muss zu debe doit deve moet",
)
"""First words of what a form says about passwords."""
TYPING = tuple(
    _words("press punch type typing enter dial key tap tipp drück marc marqu puls tecle digit compos tape toets druk")
)
"""Beginnings of verbs of typing."""
