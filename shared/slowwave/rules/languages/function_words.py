"""Words that join sentences in the commonest languages, without those that names and loanwords bring into English."""

import re

_WORDS = {
    "de": "ich du wir ihr mein meine meinen meinem meiner dein deine unser unsere bin ist sind seid hab habe haben "
    "hatte wird werden nicht kein keine keinen keinem mir mich dir dich uns euch und oder aber dass weil wenn "
    "nach seit zum zur beim vom dem eine einen einem einer heute gestern jetzt sehr schon noch nur auch mehr "
    "heißt heisst kannst kann muss gibt geht für auf das die der den danke",
    "es": "mi mis tu tus su sus yo nos soy eres es somos son estoy está están estamos he ha hemos han tengo tiene "
    "tenemos hay fue era voy va vamos te se lo las los un una unos unas al muy ya hoy ayer mañana pero porque "
    "cuando también eso esto esta este ahora quiero hace gracias como",
    "fr": "je tu il elle nous vous ils elles mon ma mes ton ta tes son sa ses notre nos suis est sommes sont j "
    "avons avez ont étais était ne pas aux une et où mais parce quand très plus aussi on en se vais va allons hier "
    "demain aujourd merci",
    "it": "io mi mia mio miei mie tuo tua suo sua nostro nostra ci sono sei è siamo ho hai ha abbiamo hanno ero era "
    "non più molto oggi ieri domani adesso ora anche perché però che gli della dello del dal nel nella sul il "
    "una uno un vado va questo questa così grazie",
    "pt": "eu meu minha meus minhas seu sua nosso nossa sou é somos são estou está estamos tenho tem temos fui foi "
    "vou vai não uma ao em mais muito hoje ontem amanhã agora também mas porque isso isto obrigado obrigada",
    "nl": "ik jij je wij mijn jouw onze ons ben bent zijn heb hebt heeft hebben niet geen een het dat dit en maar "
    "omdat als naar bij voor met heel nu gisteren morgen vandaag ook nog wel moet kun kan wordt heet",
    "pl": "nie się jest mam mój moja moje mi jestem są był była już dziś wczoraj jutro bardzo tylko też ale że z ze "
    "w",
    "sv": "jag du vi min mitt mina din är har inte och att som på med för till en ett nu idag igår imorgon mycket "
    "också heter",
    "tr": "ben bir ve çok bu için değil var yok benim bugün dün yarın şimdi ama daha gibi ile",
    "ru": "я мы ты он она не и в на у меня мой моя мне это уже очень сегодня вчера завтра с что но как",
}  # fmt: skip
FUNCTION_WORDS = {language: frozenset(words.split()) for language, words in _WORDS.items()}
LOANS = re.compile(
    r"\b(?:c['’]est (?:la vie|la guerre)|mon (?:dieu|ami|amour)|je ne sais quoi|mea culpa|mi casa(?: es su casa)?"
    r"|que será,? será|no problemo|ich bin ein berliner|mein (?:kampf|herr)|la vita è bella|un poco"
    r"|mi amor|hasta la vista|dia de los muertos|día de los muertos|cinco de mayo"
    r"|prêt[ -]à[ -]porter|vis[ -]à[ -]vis|tour de force)\b",
    re.IGNORECASE,
)
"""Phrases that English borrows, and titles such as `Mein Kampf`."""
