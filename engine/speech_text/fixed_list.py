"""The fixed list that sentence splitting is measured on: labelled sentences, and token streams with unambiguous ends.

Data for the tests and the benchmark. Written by hand; a bar (¦) stands where one sentence ends and the next begins.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(r" ?[^\W\d_]+| ?\d{1,3}| ?(?:[^\w\s]|_)+|\s")


class Labelled(NamedTuple):
    """A text in a language (a code such as "en") and its sentences, without the white space between them."""

    language: str
    text: str
    sentences: tuple[str, ...]


def read_labelled(table: str) -> tuple[Labelled, ...]:
    """Read lines of a language code, a space or tab, and a text with bars; lines that begin with # are comments."""
    rows = [line.split(None, 1) for line in table.splitlines() if line.strip() and not line.startswith("#")]
    return tuple(
        Labelled(language, text.replace("¦", ""), tuple(part.strip() for part in text.split("¦")))
        for language, text in rows
    )


def tokens(text: str) -> list[str]:
    """Cut a text as a byte-pair tokeniser does: a word takes the space before it, marks that touch stay together."""
    return _TOKEN.findall(text)


SENTENCES = read_labelled("""
# Abbreviations, initials, titles
en Dr. Leroy sees Mr. J. R. Hale at 9 a.m. sharp. ¦Bring the U.S. forms, e.g. the long one.
en Prof. Ada B. Lane teaches on Mon. and Wed. in room 4. ¦She starts at 8 a.m. ¦Bring a pen, paper, etc. ¦It helps.
en The firm, Hale & Sons Ltd. of London, opened in Jan. 1999. ¦It closed in Dec. 2003.
en See vol. 3, pp. 10-12, and fig. 7. ¦The rest is in ch. 4.
en She moved to the U.S. in May. ¦The U.S. Senate met. ¦He stayed in the U.K. ¦They write.
en Mrs. O'Neil, i.e. the owner, called at 6 p.m. ¦Nobody answered.
en William F. Cody was Buffalo Bill. ¦So did you and I. ¦Take vitamin D. ¦It helps.
fr M. Dupont et Mme Petit habitent 12, av. Foch. ¦MM. Roux et Blanc arrivent à 14h30.
fr Comptez 5 min. à pied.
fr Voir cf. p. 12. ¦Merci !
fr Il y a du pain, du lait, etc. ¦Ensuite on part.
fr Le Dr. Noir est absent. ¦Mgr. Blanc le remplace, p. ex. le lundi. ¦C'est ainsi.
de Hr. Dr. Weiß kommt am 3. Mai, d. h. bald. ¦Er bringt z. B. Kuchen mit. ¦Das ist nett.
es El Sr. Ruiz y la Dra. Gil viven en EE. UU. desde mayo. ¦Están bien.
# Numbers, versions, times, prices
en It costs $29.50 today. ¦Pi is 3.14159, and v2.0.1 ships at 10:30.
en The disk holds 3.84 terabytes. ¦It is 71.5 percent full. ¦Nothing else is wrong.
en In 1908 it was -5 degrees. ¦Call 555-0199. ¦Zip 90210. ¦It costs $49.95.
en The bill is $1,250.75, not $1,250. ¦Pay by 5:30. ¦Bring 20 copies.
fr Il fait 22,1 °C et l'air est à 45 %. ¦Le pain coûte 1 234,50 €, soit 3,5 % de plus.
de Das kostet 1.299,00 Euro. ¦Um 14.30 Uhr ist Schluss.
# Hosts, addresses, files
en Visit https://example.com/a.b?c=1. ¦Then mail joe.bloggs@example.org. ¦Node.js reads main.py on example.com.
en Open README.md and run setup.sh. ¦The file config.yaml is optional.
fr Consultez www.exemple.fr. ¦Écrivez à jean.dupont@exemple.fr. ¦Il répondra.
# Ellipses and marks together
en Well... maybe not. ¦Hmm… let me think. ¦Really?! ¦Yes!!! ¦Wait.... ¦No.
en So... what now? ¦I think... yes. ¦No way!! ¦Stop?!
fr Euh... je ne sais pas. ¦Quoi ?! ¦Vraiment ?
# Quotes and brackets
en He said "Go!" ¦Then he left. ¦"Why?" she asked. ¦“It is late.” ¦(Nobody knew.) ¦They slept.
en She called it "art." ¦I call it "noise". ¦Others (like him) do not.
fr « Bonjour ! » dit-il. ¦« Entrez. » ¦Elle entra.
de „Kommst du?“, fragte er. ¦Sie sagte: „Ja.“ ¦Dann gingen sie.
# Scripts without spaces, other full stops
zh 今天天气很好。¦我们去公园吧！¦你想来吗？
zh 版本是3.5。¦好的。
zh 他说：“我来了。”¦然后走了。
ja 行きましょう。¦はい。
ja 「はい。」と彼は言った。¦私は笑った。
ko 안녕하세요. ¦무엇을 도와드릴까요?
hi यह अच्छा है। ¦धन्यवाद।
ar كيف حالك؟ ¦أنا بخير.
el Τι κάνεις; ¦Καλά είμαι.
hy Բարև։ ¦Ինչպես ես։
# As assistants write
en Sure! ¦I'd be happy to help you with that. ¦What would you like to know about the weather today?
en Albert Einstein (1879-1955) was a physicist. ¦He was born in Ulm. ¦His work changed how we see time.
en Photosynthesis happens in the leaves. ¦It needs light, water and carbon dioxide. ¦It gives us oxygen.
fr Bien sûr ! ¦Voici ce que je vous propose. ¦Commencez par une marche courte, puis reposez-vous.
""")
"""What every release must split without an error, whatever the language it is told and however the text is cut."""

UNAMBIGUOUS = read_labelled("""
en Hello world. ¦Next one. ¦The sky is blue today. ¦Birds are singing.
en This is sentence one here. ¦The second sentence follows it. ¦And here comes another.
en Paris is lovely in spring. ¦The museum opens early. ¦You should go there with friends.
en I can help you with that. ¦First, tell me where you live. ¦Then we look at the map together.
en Cooking rice is simple. ¦Rinse it under cold water. ¦Let it rest for ten minutes. ¦Serve it warm.
en What would you like to know about the weather today? ¦It is sunny in the north. ¦Rain comes later.
en I would be more than happy to help you with your homework! ¦Tell me about the subject.
fr Le ciel est bleu. ¦Les oiseaux chantent. ¦Il fait vraiment beau ici.
fr Je peux vous aider. ¦Dites-moi où vous habitez. ¦Ensuite nous regarderons la carte ensemble.
de Der Himmel ist blau. ¦Die Vögel singen. ¦Heute regnet es wohl kaum.
es El cielo es azul. ¦Los pájaros cantan. ¦Hoy hace mucho calor.
zh 今天天气很好。¦我们去公园走走。¦晚上再回家。
ja 今日は天気がいいです。¦公園に行きましょう。
""")
"""Sentences whose end no character after it can change: none may be released later than with its own last token."""
