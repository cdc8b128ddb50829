"""Time phrases in German, French and Spanish, translated to English for our date reader."""

_WORDS = {
    "yesterday": "gestern hier ayer",
    "today": "heute hoy aujourd'hui",
    "tomorrow": "morgen demain mañana",
    "last": "letzte letzten letztes letzter vorige vorigen voriges vergangene vergangenen vergangenes",
    "next": "nächste nächsten nächstes nächster kommende kommenden kommendes",
    "this": "diese diesen dieses dieser",
    "week": "woche", "weekend": "wochenende", "month": "monat", "year": "jahr",
    "monday": "montag lundi lunes", "tuesday": "dienstag mardi martes", "wednesday": "mittwoch mercredi miércoles",
    "thursday": "donnerstag jeudi jueves", "friday": "freitag vendredi viernes",
    "saturday": "samstag sonnabend samedi sábado", "sunday": "sonntag dimanche domingo",
    "january": "januar jänner janvier enero", "february": "februar février febrero", "march": "märz mars marzo",
    "april": "april avril abril", "may": "mai mayo", "june": "juni juin junio", "july": "juli juillet julio",
    "august": "august août agosto", "september": "september septembre septiembre",
    "october": "oktober octobre octubre", "november": "november novembre noviembre",
    "december": "dezember décembre diciembre",
    "": "am im in den der die das le la el en",
}  # fmt: skip
_ENGLISH = {word: english for english, words in _WORDS.items() for word in words.split()}
_PHRASES = {
    "day before yesterday": ("vorgestern", "avant-hier", "anteayer"),
    "day after tomorrow": ("übermorgen", "après-demain", "pasado mañana"),
    "last week": ("la semaine dernière", "la semana pasada"),
    "last month": ("le mois dernier", "el mes pasado"),
    "last year": ("l'année dernière", "l'an dernier", "el año pasado"),
    "next week": ("la semaine prochaine", "la semana que viene", "la próxima semana"),
    "next month": ("le mois prochain", "el mes que viene", "el próximo mes"),
    "next year": ("l'année prochaine", "el año que viene", "el próximo año"),
}
_WHOLE = {phrase: english for english, phrases in _PHRASES.items() for phrase in phrases}


def in_english(phrase: str) -> str:
    """Return a time in English if all its words are known, else unchanged.

    >>> in_english("letzten Freitag"), in_english("la semana pasada"), in_english("im Mai 2024"), in_english("in May")
    ('last friday', 'last week', 'may 2024', 'in May')
    """
    text = " ".join(phrase.casefold().replace("’", "'").split())
    words = [word if word.isdigit() else _ENGLISH.get(word) for word in text.split()]
    told = " ".join(word for word in words if word)
    return _WHOLE.get(text) or (told if told and None not in words else phrase)
