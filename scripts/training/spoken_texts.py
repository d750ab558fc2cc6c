"""What the voices say: sentences of the small world, and words, digits and patterns beyond it."""

from __future__ import annotations

import random
import re

from domain import VOCABULARY, user_sentence

#: Share of each kind of sample in the train split; "truncated" is cut out of an espeak sentence.
KIND_SHARE: dict[str, float] = {
    "domain": 0.555,
    "words": 0.11,
    "digits": 0.025,
    "other": 0.075,
    "joined": 0.045,
    "truncated": 0.10,
    "none": 0.09,
}

NUMBERS = """zero oh one two three four five six seven eight nine ten eleven twelve thirteen
fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty
ninety hundred thousand half quarter first second third fourth fifth""".split()
DIGITS = "zero oh one two three four five six seven eight nine".split()

# Words outside the domain, so that the model must spell what it hears instead of the nearest
# phrase it knows. Common English, by part of speech for the patterns below.
NOUNS = """ability account action age agreement animal answer apple army art article aunt author
baby bank battle beach bear beauty bed belief bird blood board body bone border bottle bottom
boundary box brain branch bread breath bridge brother building bullet butter camera camp capital
captain castle cause century chain chance chapter child choice church circle citizen class climate
cloth cloud coast college color command common community company condition corn cotton council
country courage court cousin creature crime crowd crown culture danger daughter death debt decade
decision degree desert devil dirt disease distance doctor dollar dream dress drink duty earth east
edge education effort egg election empire energy engine enemy evidence evil example exercise
experience face fact factory failure faith farm farmer fashion father fear feather feeling field
finger fish flag flesh flower force forest freedom friend fruit future garden gas gentleman ghost
giant gift girl glass glory goal gold government grain grass ground growth guest guide gun habit
hair hand harbor harvest health heart heaven height history hole honor hope horse human husband
idea industry influence insect instrument interest iron island issue judge jungle justice king
knee knife knowledge labor lake language law leader leaf leather liberty library limit lion lip
liquid literature lock loss luck lunch machine magic majority manner mark market marriage master
material matter meaning measure medicine member memory metal mind mirror mistake moment money moon
mother mountain output movement muscle mystery nation nature neck needle neighbor nerve novel ocean
officer opinion orange origin owner ox page pain palace parent part path patience peace pepper
period planet plant pleasure pocket poem poet poison police population pound poverty power prayer
president price pride prince prison problem process profit promise proof property public purpose
queen quality question race railway rain reason religion respect result rhythm rice river road
rock root rope rule sail salt sand scale science sea seed sense servant shadow shame shape sheep
shell ship shoulder sign silver sister skill skin sky slave smile smoke snake society soil soldier
solution son song soul south spirit spring star state station stomach stone storm story stranger
stream strength student success sugar summer sun surface surprise sword system tail teacher tear
temple theory thief thing thought thread throat thunder title tongue tool tooth top town trade
tradition treasure tree tribe trouble truth uncle union universe valley value victory village
virtue vision voice wage war wave wealth weapon west wheat wheel wife wind window wine wing winter
wisdom wolf woman wonder wood wool worker world worm wound writer yard youth""".split()
VERBS = """accept admit advise agree allow appear argue arrive attack avoid beat become begin
believe belong bend bite blame bless blow borrow break breathe bring build burn bury carry catch
celebrate choose climb collect compare complain conquer consider continue create cross cry dance
dare decide defend deny depend describe destroy die discover divide doubt draw drive eat elect
escape explain fail fall feed fight flow fly follow forget forgive gather give govern grow guess
hang hate hear hide hit hold hunt imagine improve invent invite join jump kill kiss knock laugh
lead learn lie lift love marry mean measure melt mention move obey observe offer owe paint pass
perform permit prefer prepare pretend protect prove punish push realize receive refuse remain
remember replace rise ruin sail save seek sell serve share shine shoot sing sink sleep speak spend
spread stand steal suffer suggest swim teach tell think throw touch travel trust try understand
vote walk wander win wish worry write""".split()
ADJECTIVES = """able ancient angry bare beautiful bitter blind bold brave brief broken calm careful
certain cheap civil clear clever common cruel curious dark dead deaf dear deep different divine
dull eager early eastern empty equal eternal fair false famous fellow fine firm foolish foreign
free fresh gentle golden grand grateful great happy harsh holy honest human humble hungry idle
jealous just keen lazy local lonely loose loud mad mean modern narrow natural noble northern
obvious odd old ordinary pale patient perfect plain pleasant poor precious private proud pure
quick quiet rare real rich rough royal sacred sad separate serious severe sharp silent simple
single smooth social solid southern special stiff strange strict sudden sweet tall tender thick
thin tired true ugly universal useful vain violent weak whole wicked wide wild wise young""".split()
NAMES = """africa america asia china egypt england europe france germany greece india ireland italy
japan mexico rome russia spain washington lincoln newton einstein shakespeare mozart napoleon
edward george henry james mary sarah william elizabeth""".split()
PATTERNS: tuple[str, ...] = (
    "who V the N",
    "who was the A N of P",
    "what is the N of P",
    "what does the N V",
    "where does the A N V",
    "why do N s V the N",
    "how do you V a N",
    "how many N s are in the N",
    "when did P V the N",
    "the N of the N will never V",
    "we V the A N and the N of P",
    "my A N the N is in your N",
    "do not V the N that you V",
    "it is a A N to V for P",
    "i V that every N can V",
    "in the N of A N we V",
    "there is no N like a A N",
    "to V or to V that is my N",
    "all N s are A but some N s are A",
    "let us V the N and V our N",
    "they said the N was A and A",
    "A N s V A N s",
    "tell me about the N of P",
    "P and P V in the N",
    "she has a A N and he has a N",
    "the only N we have is the N to V",
    "with N and N for the A N",
    "V V and V",
    "N N N",
    "the A A N",
)


def write_other(rng: random.Random) -> str:
    """A sentence of words outside the domain, e.g. "how many wolves ..." style questions."""
    slots = {"N": NOUNS, "V": VERBS, "A": ADJECTIVES, "P": NAMES}
    words: list[str] = []
    for item in rng.choice(PATTERNS).split():
        if item == "s":
            words[-1] = plural(words[-1])
        else:
            words.append(rng.choice(slots[item]) if item in slots else item)
    return " ".join(words)


def plural(noun: str) -> str:
    """Regular English plural; a wrong one ("wolfs") is harmless, it is spoken as it is spelt."""
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "sh", "ch")) else "s")


SORTED_VOCABULARY = sorted(VOCABULARY)
SENTENCE = re.compile(r"[a-z']+( [a-z']+)*")


def write_text(kind: str, rng: random.Random) -> str:
    """One text of `kind` (see KIND_SHARE), in spoken normal form."""
    if kind == "words":
        pools = (SORTED_VOCABULARY, NUMBERS, NOUNS + VERBS + ADJECTIVES)
        picks = rng.choices(pools, (0.65, 0.2, 0.15), k=rng.randint(1, 8))
        return " ".join(rng.choice(pool) for pool in picks)
    if kind == "digits":
        return " ".join(rng.choice(DIGITS) for _ in range(rng.randint(3, 10)))
    if kind == "other":
        return write_other(rng)
    return user_sentence(rng)
