"""Secrets in the wordings that people use are masked; numbers and names beside the same words are not."""

import pytest

from slowwave.core.masking import masked
from slowwave.domain.limits import CONTENT_BYTES

TOLD = [
    ("the pin for the phone is 0815", "0815"),
    ("log in with anna and Winter2024!", "Winter2024"),
    ("the card ends in May, exp 12/27 cvv 123", "123"),
    ("the keypad by the bins wants 5518, then the tick button", "5518"),
    ("Garage code? 0 4 4 8 1, press it slowly", "0 4 4 8 1"),
    ("my suitcase lock opens with 6-0-3-9", "6-0-3-9"),
    ("my sim puk came in the letter: 83920175", "83920175"),
    ("Marta's tablet unlocks with 7412#, don't tell the kids", "7412#"),
    ("they texted me a verification code, 550 194, do I enter it?", "550 194"),
    ("What was the alarm pin again? I went blank at the door. Now I remember, it's 3307.", "3307"),
    ("the gym locker is set to 24-08-31", "24-08-31"),
    ("press three zero seven seven hash at the side gate", "three zero seven seven hash"),
    ("the safe turns 5 left, 22 right, 9 left", "5 left, 22 right, 9 left"),
    ("la caja fuerte de la oficina se abre con 71 20 45", "71 20 45"),
    ("¿El código del portal? 8824B", "8824B"),
    ("Die Haustür geht mit 6642 auf, dann fest drücken", "6642"),
    ("der Code fürs Fahrradschloss ist vier acht null drei", "vier acht null drei"),
    ("le cadenas du vélo, c'est 5 0 9 2", "5 0 9 2"),
    ("le mdp de la box : Chat-Perche-31", "Chat-Perche-31"),
    ("il codice del cancello è 4490", "4490"),
    ("Marquei 7730 no cofre e fechei a porta", "7730"),
    ("a senha do wifi é Pipoca_Doce7", "Pipoca_Doce7"),
    ("de kluis gaat open met 5 rechts, 30 links, 12 rechts", "5 rechts, 30 links, 12 rechts"),
    ("het wachtwoord van de router is nu Stroop!Wafel9", "Stroop!Wafel9"),
    ("the wifi? it's purple elephants dance slowly, all lower case with spaces", "purple elephants dance slowly"),
    ("gpg wants my passphrase. I'm sure it's seven foggy lanterns hum", "seven foggy lanterns hum"),
    ("For the security question about my first pet I answered Sir Barksalot.", "Sir Barksalot"),
    ("Sicherheitsfrage nach dem Geburtsort: ich hab Bad Tölz eingegeben, geht nicht", "Bad Tölz"),
    ("I picked moonpie as the admin password and it says too short", "moonpie"),
    ("password of the tax portal, old: Otter.Lane1 and new: Otter.Lane2", "Otter.Lane2"),
    ("I keep getting locked out of payroll. I type Fj0rd&Salmon and it says no", "Fj0rd&Salmon"),
    ("found it, it was Kestrel_On_Wire3, on the back of the calendar", "Kestrel_On_Wire3"),
    ("I use pingu1988 for everything, is that bad?", "pingu1988"),
    ("vnc on studio-7, pass w00dpecker", "w00dpecker"),
    ("the licence for the editor is MQ4T-77XP-L0KD-9ZRA", "MQ4T-77XP-L0KD-9ZRA"),
    ("weather app: api id is 9c1e4f7ab2d8630f5e4c9a17d2b3860f", "9c1e4f7ab2d8630f5e4c9a17d2b3860f"),
    ("my ledger words: acid bone cactus dust echo fancy gift hood index jelly kite lamp", "acid bone cactus"),
    ("site | user | password\nOcado | ann | Tulip-Lane\nBoots | bob | Rose-Lane", "Rose-Lane"),
    ("site;login;pin\nbank;ann;4471", "4471"),
    ("docker login -u me -p hunter2x registry.example.org", "hunter2x"),
    ("echo tulipfield9 | docker login -u me --password-stdin", "tulipfield9"),
    ('wpa_passphrase HomeNet "blue kettle song"', "blue kettle song"),
    ("ftp://web:R0se&Thorn@ftp.example.org/public", "R0se&Thorn"),
    ("neue Box im Flur: Schlüssel ist Holunder-2217-Sirup, falls ich frage", "Holunder-2217-Sirup"),
    ("my notion integration ntn_b48Kf92LmQpXz7Rt4VbN1cQw99", "ntn_b48Kf92LmQpXz7Rt4VbN1cQw99"),
    ("Heron!Pond6 on the laptop", "Heron!Pond6"),
    ("le puse Girasol.2024 al correo, la contraseña nueva", "Girasol.2024"),
    ("memorable word for the building society is tangerine", "tangerine"),
    ("Am Tor die 3-8-8-1 drücken und warten", "3-8-8-1"),
    ("der Schließfachcode im Schwimmbad war heute 7204", "7204"),
    ("my old password was turnip99 in case the site asks", "turnip99"),
    ("acme_pat_Hq7ZxT9vLmK2rWbYc7NsHd3Jp pushes the image", "acme_pat_Hq7ZxT9vLmK2rWbYc7NsHd3Jp"),
]
INNOCENT = [
    "the code review has 4120 lines", "my zip code is 90210 and the area code 3105", "room 4711 has a broken door",
    "the gate for flight LH4711 closes at 1830", "order 83920175 never came, the locker was empty",
    "The safe weighs 1200 kg", "for the door press 2, or call 5550 1734", "the garage charged 1450 euros",
    "we changed the lock in 2019", "set the alarm for 0630 please", "fault code P0420 on my van",
    "error 21470 when I log in", "Fehlercode 4711, die Tür der Spülmaschine klemmt", "código de error 5021 al entrar",
    "code promo RENTREE25 pour ouvrir un compte", "the wifi is slow in the kitchen today",
    "the wifi is really quite bad upstairs again", "the password is case sensitive and must be long",
    "my passphrase is longer than most people would like", "my first pet was Max",
    "the security question asks for my first school, why?", "unlock the level with 5000 coins",
    "the combination of 1200 calories and running", "the serial ran from 1984 to 1990",
    "my WH-1000XM4 asks for a pin", "the pass over the mountains is 2300 m high", "el código postal es 28013",
    "la clave de sol y 2 corcheas", "my locker is number 214", "one two three four, jump, and now open the door",
    "the password must not be longer than 16 characters", "login works in Firefox115 but not in Safari17",
    "our region is us-east-1 and the access key is missing", "the code is in main.py, line 1204",
    "the alarm woke 1200 people", "Postleitzahl 80331 und der Code der Tür ist kaputt", "gate B12, door 4, seat 31A",
    "I typed the password four times, then at 1930 I gave up", "the token limit of gpt-4o-mini-2024 is 128000",
    "my account number is on the letter from 2023-11-04", "le code de la route a 1200 pages",
    "License: BSD-3-Clause", "Content-Type: text\nLicense-Expression: BSD-3-Clause",
    "how do I reset my netflix password on an LG-OLED55C1 tv", "what does OBD code P0171 mean",
    "IBAN GB27 LOYD 3096 1743 2895 01, the account is hers", "alarm set 0545, 0600 and 0615", "pin 13 of the arduino",
    "login screen on my S21Ultra is black", "seat 31A, pass the gate by 0930", "release v3.2.1-beta4 fixes the login",
    "site | user\nOcado | ann77", "docker run -p 8080:80 nginx", "is 1234 really the most common pin?",
]  # fmt: skip


@pytest.mark.parametrize(("text", "secret"), TOLD)
def test_a_secret_in_everyday_words_is_masked(text: str, secret: str) -> None:
    kept, kinds = masked(text)

    assert secret not in kept
    assert kinds
    assert masked(kept) == (kept, ())


@pytest.mark.parametrize("text", INNOCENT)
def test_harmless_numbers_and_names_are_not_masked(text: str) -> None:
    assert masked(text) == (text, ())


@pytest.mark.parametrize(
    "part",
    [
        "code 4711, ",
        "code 1-",
        "pin 12 12 ",
        "seed words abc ",
        "[code masked] code 4711 ",
        "wifi is abc ",
        "the password for it is wrong ",
        "password changed ",
        "login: ",
        "pass|x\n",
        "a@b!",
    ],
)
def test_a_text_of_the_largest_size_is_masked_in_time(part: str) -> None:
    text = part * (CONTENT_BYTES // 4 // len(part))

    kept, kinds = masked(text)

    assert bool(kinds) == (kept != text)
