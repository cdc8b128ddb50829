"""Make the mean of the embedder e5 anew: `python ops/embedder/e5_mean.py`, with slowwave[e5] installed.

The model's vectors of any two texts lie close together, because all of them lie far out in one direction. The mean of
many texts is that direction; `slowwave.inference.embedders.local_models` takes it off, and what is left says what a
text is about. The sentences are made up, of many matters in many languages. A mean that differs belongs to another
embedding space: give SPACE there a new version.
"""

import numpy as np

from slowwave.inference.embedders.local_models import MEAN, Engine

TEXTS = """
I moved to a smaller flat near the harbour in spring.
My sister is getting married in September and I have nothing to wear.
Thanks! That was really kind of you.
We had pasta again because nobody went shopping.
The meeting was put off until Thursday afternoon.
Our dog hates thunderstorms, he hides under the bed.
I think the old bicycle can be mended, it only needs a new chain.
Haha, yes, exactly.
She works as a nurse on the night shift.
The invoice was paid on the third of May.
Wow, congratulations! How long did it take you?
I have been learning to play the guitar for two years.
Please send the report to the team before noon.
It rained all weekend, so we stayed in and watched films.
He is allergic to nuts and never eats out.
The train was late, and I missed my flight to Madrid.
I'd rather not talk about it today.
We painted the kitchen yellow.
My doctor says I should sleep more and drink less coffee.
The children are in third and fifth grade now.
Ich habe gestern meinen Schlüssel im Büro vergessen.
Wir fahren im Sommer mit dem Zug nach Italien.
Das klingt gut, danke dir!
Meine Mutter verträgt keine Milch.
Er hat den Vertrag am Montag unterschrieben.
J'ai trouvé un nouveau travail à Lyon.
On se voit demain après le cours de yoga.
Merci beaucoup, c'est très gentil.
Mon frère n'aime pas le poisson.
Me encanta caminar por la playa por la mañana.
Mi abuela cumple ochenta años en abril.
Compramos un coche de segunda mano.
Sono stanca, oggi ho lavorato fino a tardi.
Il mio gatto si chiama Nuvola.
Amanhã tenho consulta com o dentista.
Estou a aprender a cozinhar comida vegetariana.
Ik ga op vrijdag altijd zwemmen.
Wczoraj kupiłem bilety na koncert.
Я живу в этом городе уже десять лет.
Моя дочь любит рисовать животных.
昨天我和朋友一起去爬山了。
我不吃辣的东西。
明日は朝から会議があります。
新しい靴を買いました。
저는 주말마다 도서관에 가요.
أعمل مهندسًا في شركة صغيرة.
मुझे चाय बिना चीनी के पसंद है।
Yeni evimiz denize çok yakın.
"""


def main() -> None:
    """Write the mean of the vectors of TEXTS, one a line."""
    engine = Engine()
    vectors = [engine.passage(line) for line in TEXTS.strip().splitlines()]
    np.save(MEAN, np.mean(vectors, axis=0).astype("<f4"), allow_pickle=False)


if __name__ == "__main__":
    main()
