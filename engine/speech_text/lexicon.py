"""What is known of words before a full stop: abbreviations, names with a dot inside, words that open a sentence.

English, French, German, Spanish, Italian, Portuguese, Dutch and a little Russian in one: a reply may change its
language and the lists hardly collide. An entry with a capital letter counts only in that spelling, any other in every
spelling. Written from general knowledge of the languages' usage; no list was taken over.
"""

from __future__ import annotations


def _words(*tables: str) -> frozenset[str]:
    return frozenset(word for table in tables for word in table.split())


NEVER_LAST = _words(
    # Titles and what else stands before a name.
    """mr mrs ms mx dr messrs Prof Gen Col Maj Capt Lt Sgt Cpl Cmdr Adm Rev Hon Gov Sen Rep Pres Supt Mt M MM mme
    mmes mlle mlles Mgr Pr Ste Dres Sra Sres Sras Srta Dña Dra Lic Profa Hr Fr Frl Dipl Ing sig sigg dott avv EE
    sig.ra dott.ssa dhr mevr mw drs Им им проф акад ул стр рис""",
    # Words that want something after them.
    """e.g i.e viz cf vs approx incl excl esp resp ca p pp pg pág págs pag pagg aprox ej env apr éd réf bzw z.b d.h
    u.a z.t vgl ggf evtl inkl exkl bzgl sog p.ex c.-à-d v bijv blz d.w.z m.a.w т.е""",
)
"""A full stop after these never ends a sentence."""

BEFORE_CAPITAL = _words(
    """etc a.m p.m temp usf ecc enz tsp tbsp tsps tbsps тыс млн млрд руб др т.д т.п""",
)
"""These end a sentence only when the next word has a capital."""

UNITS = _words(
    """min mins sec secs hr hrs in ft yd mi lb lbs oz gal pt qt km cm mm kg g l m s h sek std""",
)
"""After a number, these too end a sentence only when the next word has a capital; without one they are plain words."""

BEFORE_STARTER = _words(
    """Jr Sr inc ltd co corp bros llc plc esq st ave blvd rd ln hwy pkwy dept univ assn govt intl natl misc ext tel
    al av avda boul bd bld fg rte Cie Éts Sté hab tél chap janv févr avr juill juil déc usw str Jh Mio Mrd Ud
    Uds Vd Cía UU""",
)
"""These end a sentence only when the next word is one that often begins a sentence."""

BEFORE_NUMBER = _words(
    """no nos Sec apt cap nr n° núm nº fig figs vol vols art arts sect para chs ch eq eqs ref op ver kap abs Bd Abb
    Tab Art est max Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mär Okt Dez sept nov oct dec Mon Tue Tues
    Wed Thu Thur Thurs Fri Sat Sun""",
)
"""After these a number, with digits or in Roman numerals, carries on."""

MONTHS = _words(
    """Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mär Okt Dez sept nov oct dec""",
)
"""Those that after a number carry on before anything but a word that begins a sentence."""

AFTER_CLOCK = _words(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december eastern pacific central mountain greenwich gmt utc est edt cst cdt pst
    pdt cet cest et pt bst ist""",
)
"""Capitalised words before which "a.m." and "p.m." end nothing."""

LETTER_NOUNS = _words(
    """vitamin vitamins vitamine plan option grade letter answer choice section type group class team part point
    category column row appendix hepatitis lettre groupe réponse annexe exhibit schedule gate hall wing block
    platform""",
)
"""Words after which a single capital letter is no initial."""

ORDINAL_LANGUAGES = _words(
    """de da nb nn no fi et lv cs sk pl hu sl hr sr bs is tr fo""",
)
"""Languages that write "3." for "third"."""

BEFORE_ORDINAL = _words(
    """am im der den dem des vom zum zur beim jeder jeden ab seit bis""",
)
"""German words before which a number with a full stop is taken for an ordinal whatever the language is said to be."""

DOTTED_NAMES = _words(
    # Hosts.
    """www docs mail api blog example google amazon booking github gitlab wikipedia python openai huggingface
    stackoverflow reddit facebook twitter netflix yahoo gmail hotmail outlook microsoft linkedin instagram ebay
    paypal spotify airbnb hotels expedia nasa craigslist etsy medium archive orange lemonde laposte gouv
    service-public localhost site mysite""",
    # Software.
    """node vue next nuxt express three socket chart moment ember backbone alpine deno fly asp ado discord apollo
    nest""",
    # Files and modules.
    """main index app apps test tests config readme package requirements setup settings style styles script scripts
    data file files filename output input server client module manage document report image photo picture video
    notes sample demo makefile dockerfile log logs backup budget resume program notepad first name firstname
    user util utils helper helpers foo bar baz obj arr req res df os sys self math json numpy pandas torch
    console window""",
)
"""Words that are often followed by a dot and an ending: `Node.js`, `example.com`, `main.py`."""

GIVEN_NAMES = _words(
    """john jane joe james robert michael mike david sarah mary anna maria paul peter tom jim bob alice max erika
    jean marie pierre jacques anne luc sophie hans anja juan jose carlos ana luis mario luca info support""",
)
"""In small letters these are the first half of an e-mail address: `joe.bloggs@example.org`."""

BEFORE_NAME = _words(
    """visit site website websites url domain page webpage file files folder script module package library host
    hostname email mail contact write import install edit run named called via visitez consultez fichier dossier
    besuche datei""",
)
"""Words that announce a host, a file or a module."""

GOES_ON = _words(
    # Where people trail off.
    """um uh hmm er see think thinking mean guess suppose wonder wondering wait maybe perhaps actually sometimes
    honestly basically pense sais vois crois dis suppose voyons enfin bon ben euh alors attends weiß denke
    glaube pues bueno creo""",
    # What seldom ends a sentence.
    """the an and or but because if then than of to with from at by for in on as a is are was were be been has have
    had my your his our their its very so not just et ou mais donc que de du la le les un une des dans pour avec
    est sont und oder aber der die das ein eine ist sind mit von zu auf y o pero el los las una con por para es
    son""",
)
"""Words after which a full stop may be the first of three, so it is worth one more character."""

SHORT_WORDS = _words(
    """it me us we he do go up am ok hi oh id ça là né dû vu su pu lu bu va as ai ci sí tú él mí ti yo ir da fe té
    du er ja wo ab""",
)
"""Words of two letters with which a sentence may well end."""

WHOLE_REPLIES = _words(
    """yes sure hello thanks thank great perfect absolutely certainly definitely exactly correct agreed understood
    congratulations goodbye bye welcome sorry true false indeed nice wonderful excellent fantastic awesome done
    oui non bonjour bonsoir salut merci parfait exactement absolument certainement évidemment volontiers
    bienvenue désolé désolée super entendu ja nein hallo danke natürlich genau gerne hola gracias claro vale
    exacto perfecto ciao grazie certo olá obrigado""",
)
"""Words that are a sentence of their own."""

STARTERS = _words(
    """the this that these those it he she they we you i in on at but and or so however if when while as for from
    with by to after before since although though because then there here what why how who where which is are
    was were do does did can could will would should may might let let's please yes no not also another each
    every some many most all both one our my your his her their its a an once until unless despite instead
    finally first second next meanwhile moreover additionally today yesterday tomorrow now just maybe perhaps
    thus therefore nothing everyone everything le la les un une des ce cet cette ces il elle ils elles nous vous
    je tu c'est mais et ou donc car si quand lorsque comme pour dans en à au aux avec sans sur sous après avant
    puis ensuite enfin alors ainsi cependant toutefois voici voilà qui que quoi où comment pourquoi combien mon
    ma mes ton ta son sa ses notre votre leur leurs tout tous toute toutes chaque aussi non oui merci c j l d n
    s qu der die das den dem ein eine einen er sie es wir ihr ich du man aber und oder doch denn wenn als weil
    dass da dann danach dort hier heute morgen gestern jetzt nun auch nur im am an auf aus bei mit nach von vor
    zu zum zur über unter ohne wie was wer wo warum wann welche kein keine mein dein sein unser alle viele
    einige diese dieser dieses jede ist sind war hat haben bitte ja nein später el los las una unos unas lo este
    esta esto estos ese esa eso él ella ellos nosotros yo usted pero y o cuando porque para por con sin del al
    luego entonces también sí qué quién cómo dónde cuándo hay es son está il lo gli i una uno questo questa ma e
    se quando perché con per anche non sono è o os as um uma ele ela mas isso não""",
)
"""Words that often begin a sentence, in small letters; before an apostrophe the part in front of it counts."""
