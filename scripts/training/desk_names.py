"""Names of callers from everywhere: real ones, ones that nobody has, with accents; and how they are spelled."""

# ruff: noqa: E501  names are read across

from __future__ import annotations

import random
import re
from typing import Final

from dialogue_values import capitalise, draw_value, invented_name
from domain import choose_branches
from open_words import open_word
from slots import phrases
from talk_names import apart

_FIRST: Final = phrases(
    "siobhan, niamh, aoife, ciaran, padraig, eoin, saoirse, grainne, oisin, rhiannon, llewelyn, angharad, hamish, morag, eilidh, ewan, agnieszka, wojciech, katarzyna, zbigniew, grzegorz, bozena,"
    "yevhen, svitlana, bohdan, taras, lyudmila, dmytro, nadezhda, vladislav, milos, zdenka, jaroslav, bogdan, ioana, razvan, gheorghe, zsofia, laszlo, istvan, gyorgy, mehmet, ayse, emre, yildiz, ozlem,"
    "priyanka, lakshmi, venkat, arjun, deepika, sanjay, rajeshwari, harpreet, gurdeep, nusrat, fatima, khadija, abdullah, yusuf, zainab, farhan, mahmoud, layla, parisa, behrouz, shirin, darius, golnaz,"
    "chidi, ngozi, adaeze, oluwaseun, temitope, babatunde, kwabena, akosua, abena, yaw, thandiwe, sipho, nomvula, tendai, chipo, wanjiku, kamau, otieno, abebe, tigist, mamadou, aminata, ousmane,"
    "nguyet, thuy, quoc, minh, xiaoling, wei, jianhong, mei, yuxuan, haruto, sakura, kenji, naoko, jiwoo, minseo, hyun, somchai, siriporn, putri, wayan, rizal, marisol, jocelyn, leilani, kaimana, tane, aroha,"
    "guadalupe, joaquin, ximena, esteban, iker, nerea, joao, beatriz, thiago, conceicao, guillaume, solene, thibault, maelys, giuseppe, chiara, ludovica, ulrich, jurgen, annegret, wolfgang, bjorn, sigrid, torbjorn, ingeborg, mikkel, freja, aino, juhani, kalle, jurate, vytautas, dot, mags, bev, nell, shaz, baz, jaz, kit, ned, bo, jo, ty"
)
_LAST: Final = phrases(
    "o'sullivan, mulcahy, geoghegan, ni bhriain, maguire, llewellyn, prydderch, mackintosh, farquharson, menzies, wojcik, szczepanski, lewandowska, jablonski, wisniewski, shevchenko, kovalenko, tkachuk, bondarenko,"
    "novotny, dvorak, horvath, szabo, nagy, ionescu, dumitrescu, stoyanov, papadopoulos, konstantinou, yilmaz, ozturk, demirci, krishnamurthy, subramanian, chatterjee, mukherjee, venkataraman, balakrishnan, iyer, bhatt,"
    "chaudhry, qureshi, siddiqui, rahman, hosseini, tehrani, almasri, haddad, khoury, okonkwo, adeyemi, ogunleye, nwosu, eze, mensah, boateng, owusu, asante, dlamini, khumalo, moyo, ndlovu, kariuki, tesfaye, diallo, traore,"
    "tran, pham, huynh, dang, zhao, xu, ouyang, takahashi, watanabe, kobayashi, park, choi, jeong, suwannarat, santoso, dela cruz, kealoha, parata, echeverria, etxeberria, villanueva, zamora, magalhaes, figueiredo, vasconcelos,"
    "lefebvre, beauchamp, thibodeaux, arceneaux, desrosiers, castellano, quattrocchi, giannini, schwarz, krueger, steinbrenner, vandenberg, van der meer, de vries, haugen, lindqvist, bergstrom, kjeldsen, virtanen, kazlauskas, ozols,"
    "cholmondeley, marjoribanks, beaulieu, st clair, mainwaring, postlethwaite, ramsbottom, higginbotham, arkwright, entwistle, wigglesworth, hathaway, pickering, thistlewood, blenkinsop, cruickshank, pugh, pratt, tubbs, crisp, bragg, ames, ely, oz"
)
_ACCENTS: Final = {"a": "áäàâãå", "e": "éèêë", "i": "íîï", "o": "óöôøõ", "u": "üúû", "c": "çčć", "n": "ñń", "s": "šś", "z": "žż", "l": "ł"}  # fmt: skip
_LETTERS: Final = "bcdfghjklmnpqrstvwxyzaeiouaeiou"


def _one(rng: random.Random, slot: str) -> str:
    """One name in small letters: a real one, an invented one, any word, any letters."""
    pick = rng.random()
    if pick < 0.4:
        name = rng.choice(_FIRST if slot == "name" else _LAST)
    elif pick < 0.62:
        name = draw_value(slot, rng, False).text
    elif pick < 0.82:
        name = invented_name(rng)
    elif pick < 0.92:
        name = open_word(rng)
    else:
        name = "".join(rng.choice(_LETTERS) for _ in range(rng.randint(3, 9)))
    return _accented(name, rng) if rng.random() < 0.05 else name


def first_name(rng: random.Random) -> str:
    """A first name from anywhere, in small letters."""
    return _one(rng, "name")


def _accented(name: str, rng: random.Random) -> str:
    """``sjoberg -> sjöberg``."""
    at = [index for index, letter in enumerate(name) if letter in _ACCENTS]
    if not at:
        return name
    index = rng.choice(at)
    return f"{name[:index]}{rng.choice(_ACCENTS[name[index]])}{name[index + 1 :]}"


def written(name: str) -> str:
    """Every part with a capital: ``van der meer -> Van Der Meer``, ``o'sullivan -> O'Sullivan``."""
    return re.sub(r"(^|[ '-])(\w)", lambda found: found[1] + found[2].upper(), name)


def name_parts(rng: random.Random) -> tuple[str, str]:
    """A name and the part of it that would be spelled, both as they are written."""
    first, last = written(_one(rng, "name")), written(_one(rng, "surname"))
    pick = rng.random()
    if pick < 0.35:
        return last, last
    if pick < 0.6:
        return first, first
    if pick < 0.92:
        return f"{first} {last}", last
    return f"{rng.choice(('Mrs', 'Mr', 'Doctor', 'Miss', 'Ms'))} {last}", last


def letters_of(part: str) -> str:
    """``O'Sullivan -> O S U L L I V A N``."""
    return apart(re.sub(r"[ '-]", "", part))


def heard_letters(letters: str, rng: random.Random) -> str:
    """The letters as they are told: apart, by dashes or commas, doubled ones as "double s"."""
    pick = rng.random()
    if pick < 0.3:
        return re.sub(r"\b(\w) \1\b", r"double \1", letters)
    if pick < 0.42:
        return letters.replace(" ", "-")
    if pick < 0.5:
        return letters.replace(" ", ", ")
    parts = letters.split()
    if rng.random() < 0.08 and len(parts) > 3:
        half = rng.randint(2, len(parts) - 2)
        return f"{' '.join(parts[:half])} and then {' '.join(parts[half:])}"
    return letters


_SPELLS: Final = "[|||||that's|that's|that is|spelled|it's spelled|you spell that|spelt|it's|so that's|i'll spell it|which is spelled|it's written]"
_BEHIND: Final = "[||||||||everyone gets it wrong|lots of people get it wrong|it's [Polish|Irish|Welsh|Turkish|Indian|French|a funny one]|like the {o}|got that|it's a mouthful|nobody can spell it|if that's easier|not {m}]"


def name_told(rng: random.Random) -> tuple[str, str]:
    """How a name is told and what is kept: the letters where it is spelled, else the name."""
    name, part = name_parts(rng)
    letters, pick = letters_of(part), rng.random()
    if pick < 0.03:
        return letters, letters
    if pick < 0.4:
        if rng.random() < 0.1:  # another name, that is easier to write
            other = written(_one(rng, "surname"))
            letters = letters_of(other)
            excuse = choose_branches(
                "[don't worry just put|but just put|just write|better put|you can put it as|put|but put it under|too long just put]",
                rng,
            )
            return f"{name} {excuse} {other} {heard_letters(letters, rng)}", letters
        if " " in name and name.split()[0] not in ("Mrs", "Mr", "Doctor", "Miss", "Ms") and rng.random() < 0.15:  # fmt: skip
            first = letters_of(name.removesuffix(part))
            heard = (
                f"{heard_letters(first, rng)} [|and|and then|then] {heard_letters(letters, rng)}"
            )
            return f"{name} {choose_branches(heard, rng)}", f"{first} {letters}"
        behind = _behind(part, rng)
        spelled = choose_branches(f"{_SPELLS} {heard_letters(letters, rng)} {behind}", rng)
        return " ".join(f"{name} {spelled}".split()), letters
    if pick < 0.46:
        last = part[-1].upper()
        hint = f"[with [a|an] {part[0].upper()}|with [a|an] {last}|with [a|an] {last} at the end|like the {open_word(rng)}]"
        return f"{name} {choose_branches(hint, rng)}", name
    return name, name


def _behind(part: str, rng: random.Random) -> str:
    text = choose_branches(_BEHIND, rng).replace("{o}", open_word(rng))
    return text.replace("{m}", written(part[:-1] + rng.choice("aeionrst")))


def spelled_behind(part: str, rng: random.Random) -> str:
    """A name that was told is spelled in a turn of its own."""
    heard = heard_letters(letters_of(part), rng)
    before = "[|that's|i'll spell it|let me spell it|i will spell it for you|it's spelled|spelled|the name is spelled|and that's|{p} is|{p} that's|you spell it|my name is spelled|it's written]"
    text = f"[|||oh and|sorry|just so you know|by the way|to be safe|okay] {before} {heard} {_behind(part, rng)}"
    return choose_branches(text, rng).replace("{p}", capitalise(part))
