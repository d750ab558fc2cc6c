"""The kinds of houses there are: how they are called, when they are open, what they sell, what a booking needs."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Kind:
    """A kind of house: how it is called, when it is open, what it sells, what a booking needs."""

    names: str
    hours: str
    things: str = ""
    noun: str = ""
    needs: Sequence[str] = ()
    options: str = ""
    field: str = ""  # which need the options are for
    prices: tuple[int, int] = (4, 60)


_LESSONS: Final = (
    "a piano lesson, a guitar lesson, a singing lesson, a maths lesson, a French lesson, a Spanish lesson, a drum lesson, a violin lesson,"
    "a driving lesson, a physics lesson, an English lesson, a swimming lesson, a riding lesson, a dance lesson, a chess lesson"
)

_CUTS: Final = (
    "a cut, a haircut, a beard trim, a shave, a colour, a wash, a blow dry, a perm, a fringe trim, a restyle, a wash and cut, a manicure,"
    "a pedicure, a facial, a massage, a hot stone massage, an updo, a dry cut, a children's cut, a tint"
)

_GROOMS: Final = "a full groom, a wash and dry, a nail clip, a puppy cut, a bath, a brush out, a trim, a teeth clean, an ear clean, a {o} wash, a flea bath, a paw trim, a summer cut"
_THERAPIES: Final = "a first visit, a follow-up, a back massage, a foot massage, a sports massage, a consultation, a check-up, an x-ray, a hot stone massage, a {o} massage, a training hour, a {o} treatment"
_SHOTS: Final = "a family portrait, a passport photo, a newborn shoot, a couple shoot, a wedding shoot, a small tattoo, a portrait, a pet portrait, a {o} shoot, a job photo, a touch-up, a piercing"
_DRIVES: Final = "a lesson, a double lesson, a motorway lesson, a night lesson, a manual lesson, an automatic lesson, a block of ten lessons, a test drive, a mock test, a first lesson, a {o} lesson, a trial lesson"
_COURSES: Final = "a beginners' course, a pottery course, a weekend course, a children's course, a climbing course, a sewing course, a pasta course, a {o} course, a drawing class, a salsa class, a family course, an evening class"

_TICKETS: Final = (
    "a ticket for adults, a ticket for children, a ticket for students, a ticket for families, a ticket for seniors, an audio guide,"
    "a year pass, a guided tour, a day ticket, a guide book"
)

#: The kinds; ``{s}`` is a surname, ``{n}`` a first name, ``{o}`` any word, ``{c}`` a city.
KINDS: Final[Mapping[str, Kind]] = {
    "restaurant": Kind(
        "[the [Old|Blue|Red|Golden|Little|Green|White|Silver|Black] [Mill|Heron|Lion|Anchor|Boat|Oak|Swan|Fox|Barn|Garden|{o}]|Trattoria {n}|{n}'s kitchen|the {s} restaurant|the {o} and {o}|Bistro {n}|the {o} house|Casa {n}|Cafe {s}|the {o} grill]",
        "meals", "the lunch menu, the set menu, the tasting menu, the soup of the day, the brunch, the fish of the day, a bottle of wine, the children's menu, the roast, the {o} menu",
        "table", ("day", "time", "count", "name", "place?", "phone?"),
    ),
    "practice": Kind(
        "[Doctor {s}'s practice|the practice of Doctor {s}|Doctor {s}'s dental practice|the dentist {s}|the {c} health centre|the {s} eye clinic|the physio practice {s}|the surgery of Doctor {s}|Doctor {s} and Doctor {s}]",
        "day", "", "appointment", ("person?", "day", "time", "name", "birth?", "phone?"),
    ),
    "vet": Kind(
        "[Doctor {s}'s animal practice|the vet {s}|the {c} animal clinic|the practice of the vet Doctor {s}|the {o} pet clinic]",
        "day", "a vaccination, a check up, a microchip, a claw trim, a blood test", "appointment", ("animal", "matter", "day", "time", "name?", "phone?"),
        prices=(15, 90),
    ),
    "hair": Kind(
        "[{s}'s hair salon|the barber {n}|{n}'s barber shop|the hairdresser's {o} and Co|{n} and {n} hairdressers|Salon {n}|the {o} beauty studio|{s}'s nail bar]",
        "day", _CUTS, "appointment", ("service", "person?", "day", "time", "name", "phone?"), _CUTS, "service", (8, 70),
    ),
    "garage": Kind(
        "[{s}'s garage|the garage {s} and Son|the {c} car workshop|{n}'s bike shop|{s} Motors|the {o} garage]",
        "day", "an oil change, a tyre change, a car wash, an inspection, a new battery, a set of brakes, a wheel check", "appointment", ("work", "day", "time", "plate?", "name", "phone?"),
        prices=(15, 180),
    ),
    "hotel": Kind(
        "[Hotel {s}|the hotel {o}|the guest house {s}|the {c} Inn|{n}'s bed and breakfast|the {o} Lodge|the {o} Hotel|Pension {n}|the Old {o} hotel]",
        "early", "a single room, a double room, a family room, a twin room, a suite, a {o} room, an extra bed", "room", ("room", "day", "nights", "name", "phone?"),
        "single room, double room, family room, twin room, suite, room with a lake view, room with a garden view, room with a sea view, room with a balcony, {o} room, quiet room", "room", (45, 160),
    ),
    "rooms": Kind(
        "[the meeting rooms of [an office|the {s} office|{s} and {s}]|the office floor {s}|the {o} coworking space|the {c} town library|the {s} library|the rehearsal rooms {o}|the community centre {s}|the music studios {o}]",
        "day", "", "room", ("room", "day", "time", "length", "name"),
    ),
    "court": Kind(
        "[the {c} tennis club|the {s} squash club|the {o} bowling alley|the boat hire {s}|the {c} sports hall|the {o} escape rooms|the ice rink {s}|the {o} badminton hall]",
        "early", "an hour, a racket, a ball, a locker, a lesson, a pair of shoes", "[court|lane|court|boat|table|pitch]", ("kind?", "day", "time", "length", "name", "card?", "phone?"),
        "tennis {k}, badminton {k}, squash {k}, padel {k}, indoor {k}, outdoor {k}, clay {k}, {o} {k}, small {k}, big {k}, {o} {k}, covered {k}, table tennis {k}", "kind", (3, 30),
    ),
    "hire": Kind(
        "[{s} cycles|the {o} bike hire|the boat house {s}|{n}'s boat hire|the {c} ski rental|{s} rentals|the {o} canoe station|Coast {o}|the {o} tool hire|{n}'s camper vans]",
        "early", "half a day, a whole day, an hour, a helmet, a lock, a child seat, a life jacket, a trailer", "[bike|bike|bicycle|boat|kayak|canoe|scooter|tent|car|van|sledge|surfboard|{o}|pair of skis]",
        ("number", "day", "time", "term", "name", "heights?", "phone?"), prices=(3, 60),
    ),
    "library": Kind(
        "[the {c} library|{s} Library|the {s} town library|the university library|the {o} reading room|the {c} computer centre|the {o} makerspace|the {s} learning centre]",
        "day", "a library card, a copy, a print", "[computer|computer|desk|study room|microphone|printer|piano|sewing machine|{o} machine|scanner]", ("day", "time", "length", "name", "card", "phone?"), prices=(1, 12),
    ),
    "lessons": Kind(
        "[the {s} music school|{n}'s driving school|the {c} language school|{s} Tutoring|the {o} dance school|the riding school {s}|the {o} gym]",
        "day", _LESSONS, "appointment", ("service", "person?", "day", "time", "name", "age?", "phone?"), _LESSONS, "service", (15, 60),
    ),
    "tours": Kind(
        "[the museum|the {c} museum|the {s} brewery|the castle of {c}|the zoo|the {o} museum|the {s} winery|the lighthouse]",
        "day", _TICKETS, "ticket", ("number", "day", "time", "name", "phone?"), prices=(3, 30),
    ),
    "groomer": Kind(
        "[{n}'s dog grooming|the {o} dog salon|{s} Dog Grooming|the {c} dog parlour|the {o} paws|Studio {o} for dogs]",
        "day", _GROOMS, "appointment", ("service", "animal", "day", "time", "name", "phone?"), _GROOMS, "service", (8, 70),
    ),
    "therapy": Kind(
        "[the {s} osteopathy practice|{n}'s massage room|the physiotherapist {s}|the {o} chiropractors|the practice for massage {s}|the {c} back clinic]",
        "day", _THERAPIES, "appointment", ("service", "person?", "day", "time", "name", "phone?"), _THERAPIES, "service", (20, 120),
    ),
    "studio": Kind(
        "[the photographer's Studio {n}|{s} Photography|the {o} photo studio|the tattoo studio {o}|the photographer {s}|Studio {o}]",
        "day", _SHOTS, "session", ("service", "day", "time", "name", "phone?", "email?"), _SHOTS, "service", (15, 220),
    ),
    "driving": Kind(
        "[{n}'s driving school|the {c} driving school|the {o} driving school|{s} Driving|Drive with {n}]",
        "early", _DRIVES, "lesson", ("service", "person?", "day", "time", "name", "postcode?", "phone?"), _DRIVES, "service", (25, 90),
    ),
    "courses": Kind(
        "[the {o} climbing hall|the pottery {s}|the {c} cooking school|the {o} dance studio|{n}'s sewing room|the {o} adult college|the art school {s}]",
        "day", _COURSES, "course", ("service", "day", "count", "name", "email"), _COURSES, "service", (15, 180),
    ),
    "repair": Kind(
        "[{s} Computers|the {o} phone clinic|the {o} computer shop|{n}'s repair shop|the watchmaker {s}|the sewing machine shop {s}|the bicycle workshop {o}]",
        "day", "a diagnosis, a new screen, a new battery, data rescue, a cleaning, a new strap, a small service, a big service, a puncture, a new keyboard", "[appointment|repair|drop-off]", ("work", "day", "time?", "name", "phone"), prices=(15, 140),
    ),
    "games": Kind(
        "[the {o} escape rooms|the {c} laser hall|the {o} bowling alley|the {s} mini golf|the karting track {o}|the {o} paintball field]",
        "evening", "a game, a pair of shoes, a drink, a locker, a birthday pack, a second game, a helmet", "game", ("day", "time", "count", "name", "phone?"), prices=(4, 60),
    ),
    "camping": Kind(
        "[the {o} campsite|Camping {s}|the campsite {o}|the {c} camping park|the farm campsite {s}|Camping {o}]",
        "day", "a tent pitch, a caravan pitch, a camper van pitch, a cabin, a {o} hut, a dog, a shower, a bag of firewood", "pitch", ("kind", "day", "nights", "count?", "name", "phone?"),
        "tent {k}, caravan {k}, camper van {k}, quiet {k}, {o} {k}, lakeside {k}, cabin, family {k}", "kind", (6, 60),
    ),
    "trips": Kind(
        "[the {o} boat trips|{s} Kayaks|the {c} whale tours|the balloon rides {s}|the {o} seal tours|{n}'s walking tours|the {o} cave]",
        "day", "a ticket for adults, a ticket for children, a life jacket, a photo, a single kayak, a double kayak", "tour", ("day", "time", "count", "name", "phone?"), prices=(5, 70),
    ),
    "shown": Kind(
        "[the [{c}|city|town|{o}|modern art|railway|toy|science] museum|the [{c}|{o}|Royal|Star] cinema|the zoo|the {c} zoo|the {s} theatre|the {o} gallery|the botanical garden|the {c} aquarium]",
        "day", _TICKETS, prices=(3, 30),
    ),
    "pool": Kind(
        "[the swimming pool|the {c} swimming pool|the {o} gym|the {s} fitness club|the spa {n}|the ice rink|the climbing hall {o}|the {o} sauna]",
        "early", "a single swim, a ten swim card, a day pass, a month's pass, a towel, a locker, a sauna ticket, a swimming lesson, an hour of training, a ticket for children, a ticket for adults", prices=(2, 60),
    ),
    "shop": Kind(
        "[{s}'s bakery|the {o} bookshop|{n}'s flower shop|the {c} post office|the {s} pharmacy|the {o} toy shop|the farm shop {s}|the shoe repair {s}|the dry cleaner's {s}|the {o} shop|the {c} town hall|the {c} library]",
        "day", "a {o}, a {o} {o}, a gift card, a bunch of roses, a loaf of bread, a birthday cake, a library card, a suit, a pair of heels, a key copy, a {o} box, a bag of {o}", prices=(2, 60),
    ),
    "bar": Kind(
        "[the {o} coffee bar|the Harbour coffee bar|{n}'s coffee bar|the {s} coffee bar|the coffee bar at the {c} station|the coffee bar {o}|the {o} cafe]", "early",
    ),
}  # fmt: skip

#: Where callers stay: they come on a date, and whenever the desk is open.
STAYS: Final = frozenset(("hotel", "camping"))

#: How often each is drawn.
WEIGHTS: Final = {
    "restaurant": 18, "practice": 13, "vet": 6, "hair": 11, "garage": 6, "hotel": 11, "rooms": 10, "court": 6, "lessons": 6, "hire": 7, "library": 5,
    "groomer": 5, "therapy": 5, "studio": 4, "driving": 5, "courses": 4, "repair": 4, "games": 5, "camping": 6, "trips": 4,
    "tours": 6, "shown": 7, "pool": 6, "shop": 4, "bar": 8,
}  # fmt: skip
