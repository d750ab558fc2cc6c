"""What houses of many kinds sell, and the other words in which callers ask for the same."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Ware(NamedTuple):
    """One thing with a price: the prompt's words, a caller's nouns for it, a caller's verbs for it."""

    said: str
    nouns: str = ""  # ``the dye job|a new colour``
    verbs: str = ""  # ``get my hair coloured``: after "to"
    unit: str = ""  # ``a day``
    cents: bool = False


class Trade(NamedTuple):
    """A kind of house: its names, when it is open, what it sells."""

    names: str
    hours: str
    wares: str


#: ``said = other nouns = verbs = unit``; a ``*`` before it says that it is cheap. ``{o}`` any word, ``{s}`` a surname, ``{n}`` a first name, ``{c}`` a city.
TRADES: Final[Mapping[str, Trade]] = {
    "hair": Trade("[Salon {n}|{n}'s hair salon|the hairdresser {s}|{o} Hair|the {o} barbers]", "day",
        "a cut = a haircut|a trim|a hair cut = get my hair cut|have my hair cut|have a bit taken off; a colour = colouring|a dye job|a new colour = get my hair coloured|have my hair dyed|have my roots done|go blonde; colouring = a colour|a dye|hair colour = get my hair dyed|have my hair coloured|dye my hair; a beard trim = a trim for my beard|the beard = have my beard trimmed|get my beard done; a blow dry = blow drying = have it blow dried|get my hair dried and styled; highlights = streaks = get highlights|have streaks put in; a perm = curls = get a perm|have my hair permed; a children's cut = a haircut for my [son|daughter|little boy]|a kid's haircut|the little one's hair = get my son's hair cut|have my daughter's hair cut; an updo = a bridal hairstyle|hair for a wedding = have my hair put up"),
    "beauty": Trade("[the {o} beauty studio|{n}'s nail bar|Studio {s}|the {o} spa|{n} Cosmetics]", "day",
        "a manicure = hands and nails|my nails = get my nails done|have my nails done; a pedicure = feet|my toenails = have my feet done|get my toes done; a facial = a face treatment = have my face done; a massage = a back rub|back treatment = get massaged|have my back massaged; waxing = hair removal = get my legs waxed|have hair removed; lash extensions = longer lashes|eyelashes = get my lashes done; make up = a make over = get made up|have my face done for a party"),
    "dentist": Trade("[{s} Dental|the dentist {s}|the {o} dental practice|Doctor {s}'s dental practice]", "day",
        "a check-up = a checkup|an examination|a routine look = have my teeth checked|have a look at my teeth|get checked; a cleaning = a scale and polish|teeth cleaning|the hygienist = have my teeth cleaned|get my teeth cleaned; a filling = a hole filled = have a tooth filled|fill a hole; whitening = white teeth|bleaching = get my teeth whitened|have my teeth bleached; an extraction = a tooth out = have a tooth out|get a tooth pulled; a crown = a cap for a tooth = have a crown put on; an x-ray = a picture of my teeth = get x-rayed"),
    "eyes": Trade("[{s} Opticians|the {o} optician|the eye clinic {s}]", "day",
        "an eye test = a sight test|an eye check = have my eyes tested|get my eyes checked; contact lenses = lenses = get contact lenses; a repair = mending my glasses = have my glasses mended|get my frame fixed; reading glasses = specs for reading = get glasses for reading; new lenses = glass for my frame = have new lenses put in"),
    "vet": Trade("[the vet {s}|{o} Vets|the {c} animal clinic|{s}'s animal practice]", "day",
        "a vaccination = a jab|the injections|his shots = have my [dog|cat] vaccinated|get my cat jabbed; a check-up = an examination = have my dog looked at|have the cat checked; microchipping = a chip|a microchip = have him chipped|get my cat chipped; neutering = a castration|spaying = have my cat neutered|get him fixed; nail clipping = claws|cutting the claws = have his claws cut|get her nails trimmed; a dental cleaning = teeth = have his teeth cleaned; grooming = a haircut for the dog|a trim = have my dog clipped|get my dog washed"),
    "garage": Trade("[{s}'s garage|{s} Motors|the {o} garage|the {c} car workshop]", "day",
        "a service = servicing|the yearly check = have my car serviced|get the car serviced; an oil change = new oil|oil = have the oil changed|get my oil done; a tyre change = changing tyres|winter tyres put on = have my tyres changed|get the tyres swapped; an inspection = the MOT|the yearly test = have my car inspected|get it through the test; new brakes = brake pads = have my brakes done|get the brakes replaced; a car wash = washing the car = have my car washed|get it cleaned; towing = a tow|the tow truck = have my car towed|get towed; a battery = a new battery = have the battery replaced"),
    "bikes": Trade("[{n}'s bike shop|{o} Cycles|the {o} bike shop|{s} Bikes]", "day",
        "a service = servicing = have my bike serviced|get my bike looked over; renting a bike = bike hire|a rental bike|hiring a bike = hire a bike|rent a bike|borrow a bike = a day; hiring a tandem = a tandem|tandem rental = rent a tandem = a day; a puncture repair = a flat tyre|a puncture = have a flat fixed|get my tyre mended; an e-bike = an electric bike|an e-bike hire = rent an e-bike|hire an electric one = a day; a child seat = a seat for the kid = rent a child seat; a new chain = the chain = have my chain replaced; *a helmet = a helmet to borrow = rent a helmet|borrow a helmet = a day"),
    "library": Trade("[the {o} Street Library|the {c} library|the {s} library|the {o} town library]", "day",
        "*printing = a print out|printing a page|one page printed|prints = print [something|one page|a document|my ticket] = a page; *copying = a copy|a photocopy|copies = copy [a page|something] = a page; *scanning = a scan = scan [a letter|something] = a page; a library card = a card|a member's card|membership = become a member|get a card; *a late book = an overdue book|the fine|bringing a book back late = bring a book back late = a day; *a reservation = reserving a book|a hold = reserve a book; *a film = a film to borrow|a dvd = borrow a film = a week"),
    "copy": Trade("[the {o} copy shop|{s} Print|the print shop {s}]", "day",
        "*a colour copy = a copy in colour|colour copies = copy something in colour|make a colour copy = a page; *a black and white copy = a plain copy|a copy in black and white = copy a page = a page; binding = a bound thesis = have my thesis bound|get it bound; *laminating = a laminated sheet = have something laminated = a sheet; a poster = a big print = print a poster; business cards = cards with my name = have cards printed; passport photos = photos for my passport|pass photos = have my picture taken for a passport"),
    "cleaner": Trade("[the {o} dry cleaner's|{s} Cleaners|the laundry {s}|the {o} launderette]", "day",
        "a suit = my husband's suit|jacket and trousers = have a suit cleaned|get my suit cleaned; a shirt = ironing a shirt|one shirt = have a shirt ironed|get a shirt washed; a coat = my winter coat = have my coat cleaned; a wedding dress = my bridal gown = have my wedding dress cleaned; a duvet = a quilt|bedding = have my duvet washed; a curtain = drapes = get the curtains cleaned; a wash = a load of laundry|one machine = do a load of washing; drying = the dryer = use the dryer"),
    "tailor": Trade("[the tailor {s}|{n}'s alterations|the {o} sewing shop]", "day",
        "hemming = shortening trousers|a hem = have my trousers shortened|get my jeans taken up; a zip = a new zip = have a zip replaced|get a zipper put in; taking in a dress = making a dress smaller = have my dress taken in; a patch = patching = have a hole patched|mend a hole; a button = sewing a button on = have a button sewn on; curtains = having curtains made = get curtains made"),
    "shoes": Trade("[the shoe repair {s}|the cobbler {s}|{o} Shoes and Keys]", "day",
        "a key copy = a second key|key cutting|a spare key = have a key copied|get a key cut; a pair of heels = new heels|heels = have my heels done|get my shoes heeled; new soles = soling|soles = have my shoes resoled; a watch battery = a battery for my watch = have my watch battery changed; polishing = a shoe shine = have my shoes polished; engraving = a name on a cup = have something engraved"),
    "pool": Trade("[the {c} swimming pool|{s} Baths|the {o} pool|the {o} lido]", "early",
        "a swim = one swim|going in once|a single entry = swim|go swimming|come in for a swim; a towel = a towel to borrow = rent a towel|borrow a towel; a locker = somewhere to lock my things = use a locker|lock my stuff up; a swimming lesson = a lesson|teaching my son to swim = learn to swim|have lessons; the sauna = a sauna visit = use the sauna|go in the sauna; a ten swim card = ten swims|a card for ten = buy ten swims; a month's pass = a monthly ticket = swim for a whole month; aqua aerobics = the exercise class in the water = join aqua aerobics"),
    "sports": Trade("[the {c} sports hall|the {s} tennis club|the {o} bowling alley|the {o} climbing hall|the {o} gym|the ice rink {s}]", "early",
        "a court = a court for us|one court = play|book a court = an hour; a racket = a racket to borrow|rackets = rent a racket|borrow a racket; a lane = a bowling lane = bowl|go bowling = an hour; shoe hire = shoes|borrowing shoes = rent shoes|borrow shoes; a lesson = an hour with a teacher|coaching = have a lesson|take lessons; a day pass = a pass for one day|a day ticket = come for a day|train for one day; skate hire = skates|a pair of skates = rent skates|borrow skates; a month = a monthly membership|membership = join for a month|train there for a month; climbing = an afternoon on the wall = climb|go climbing"),
    "boats": Trade("[the boat hire {s}|{o} Boats|the {o} boathouse|the {c} canoe club]", "day",
        "a rowing boat = a boat with oars = rent a rowing boat|go rowing = an hour; a pedal boat = a pedalo = rent a pedalo|hire a pedal boat = an hour; a canoe = a paddle boat|a kayak = go canoeing|hire a canoe = a day; a paddle board = a board to stand on = go paddle boarding = an hour; a boat trip = a ride on the boat|the cruise = go on the boat|take the boat trip; a fishing licence = permission to fish = fish there; a sailing lesson = learning to sail = learn to sail"),
    "gear": Trade("[{s} Hire|the ski shop {s}|the {o} tool hire|{o} Rentals]", "day",
        "renting skis = skis|ski hire = rent skis|hire skis|borrow skis = a day; a drill = a drill to borrow = rent a drill|borrow a drill = a day; a trailer = a trailer for my car = rent a trailer|hire a trailer = a day; a tent = a tent to borrow = rent a tent|hire a tent = a week; a lawn mower = a mower = hire a lawn mower|cut my grass with a rented mower = a day; a van = a moving van|a transporter = rent a van|hire a van = a day; a sledge = a sled = borrow a sledge = a day; a {o} = a {o} to borrow = rent a {o}|hire a {o} = a day"),
    "school": Trade("[the {s} music school|{n}'s driving school|the {c} language school|the {o} dance school|{s} Tutoring|the riding school {s}]", "day",
        "a piano lesson = piano teaching|an hour of piano = learn the piano|have piano lessons; a guitar lesson = an hour of guitar = learn the guitar; a driving lesson = an hour of driving|driving = learn to drive|have a driving lesson; a trial lesson = a taster|a first try = try it out|have a go first; a French lesson = French = learn French; a dance class = dancing = learn to dance|dance; a riding lesson = an hour on a horse = learn to ride|ride a horse; the exam = the test|the final test = take the exam|do the test; the course book = the book = buy the book"),
    "hotel": Trade("[Hotel {s}|the {o} Lodge|{n}'s guest house|the {c} Inn|the {o} Hotel]", "early",
        "a single room = a room for one|a room just for me = stay on my own = a night; a double room = a room for two|a room for my wife and me = stay as a couple = a night; a family room = a room for four|a room with the kids = stay with two children = a night; an extra bed = another bed|a bed for the child = have another bed put in = a night; a suite = your best room|the big room = stay in the suite = a night; a cot = a bed for the baby = have a baby bed = a night; a late check-out = staying longer|keeping the room = keep the room longer|stay till the afternoon; the airport shuttle = a ride from the airport|the transfer = be picked up at the airport"),
    "camping": Trade("[the {o} campsite|Camping {s}|the {c} hostel|the {o} hostel]", "early",
        "a tent pitch = a place for a tent|a pitch = put up a tent|camp = a night; a caravan pitch = a place for the caravan|a camper van = come with a camper = a night; a bed = a bed in the dormitory|one bunk = sleep there = a night; a shower = showering|hot water = have a hot shower; firewood = wood for a fire = buy wood|make a fire; a cabin = a hut = rent a cabin = a night; bed linen = sheets|bedding = get sheets"),
    "museum": Trade("[the {o} Museum|the {c} museum|the {s} gallery|the {o} castle|the science centre]", "day",
        "an audio guide = a headset|the audio tour = hear the audio tour|get a headset; a guided tour = a tour|somebody to show us round = be shown round|join a tour; the special exhibition = the extra show = see the special exhibition; a year pass = an annual ticket|a season ticket = come all year; a catalogue = the book of the exhibition = buy the catalogue; a photo permit = permission to take photos = take photos"),
    "zoo": Trade("[the {c} zoo|the {o} animal park|the {o} farm park|the {c} aquarium|the botanical garden]", "day",
        "a bag of feed = food for the animals|animal food = feed the goats|feed the animals; a pony ride = a ride on a pony = let my daughter ride a pony|ride the pony; a hand cart = a cart for the kids = rent a cart; the train = the little train = ride the train|go on the train; a year pass = an annual ticket = come all year; parking = leaving the car|the car park = park|leave the car there = a day"),
    "cinema": Trade("[the {o} cinema|the {s} cinema|the {c} theatre|the {o} picture house|the {o} opera]", "evening",
        "a seat in the stalls = a normal seat|the cheap seats = sit downstairs; a box seat = the best seats = sit in a box; popcorn = a bag of popcorn = have popcorn; a matinee = the afternoon show = come in the afternoon; 3d glasses = the glasses for the film = get 3d glasses; a programme = the booklet = buy a programme"),
    "restaurant": Trade("[the {o} Tree restaurant|Trattoria {n}|the {s} restaurant|Bistro {o}|{n}'s kitchen]", "meals",
        "the set menu = the menu|the fixed menu|three courses = have the set menu|eat the whole menu; the lunch special = lunch|the lunch deal = have lunch; a bottle of wine = wine|a bottle = have a bottle of wine; corkage = opening our own bottle = bring our own wine|drink our own wine; the brunch buffet = brunch|breakfast on sunday = come for brunch; the children's menu = something for the kids|a kid's meal = feed my kids; the soup = soup|a bowl of soup = have soup; the tasting menu = the big menu = taste everything; a {o} pizza = a {o} pizza|one with {o} = have a {o} pizza"),
    "bakery": Trade("[{s}'s bakery|the {o} bakery|the {o} cake shop|{n}'s patisserie]", "early",
        "a birthday cake = a cake for my daughter's birthday|a big cake = have a birthday cake made|order a cake; a loaf of rye = rye bread|a rye loaf = buy rye bread; a dozen rolls = twelve rolls|rolls for breakfast = get twelve rolls; a wedding cake = a cake for our wedding = have a wedding cake made; a {o} tart = a tart with {o} = get a {o} tart; *a roll = one roll|a bread roll = buy a roll; *a pretzel = one pretzel = get a pretzel"),
    "florist": Trade("[{n}'s flower shop|the {o} florist|{s} Flowers]", "day",
        "a bunch of roses = roses|red roses = buy roses for my wife; a wreath = something for a funeral = have a wreath made; a bridal bouquet = flowers for the bride = have a bouquet made for a wedding; delivery = having it brought = have flowers delivered|send flowers; *a tulip = one tulip|a single tulip = buy one tulip; a pot plant = a plant in a pot = get a plant"),
    "post": Trade("[the {c} post office|the {o} parcel shop|the post office on {o} Street]", "day",
        "a parcel = a package|sending a parcel = send a parcel|post a package; a letter abroad = a letter to another country = send a letter abroad; *a stamp = one stamp|a postage stamp = post a letter|buy a stamp; a parcel abroad = a package overseas = send a package overseas; a post box = a box of my own = have a post box = a month; registered mail = a registered letter = send something registered"),
    "town": Trade("[the {c} town hall|the {o} citizens' office|the registry office of {c}]", "day",
        "a passport = a new passport|a travel document = get a passport|renew my passport; an identity card = an ID|a new ID card = get an ID card; a parking permit = a permit to park|a resident's permit = park in my street = a year; a birth certificate = a paper about my birth = get my birth certificate; a marriage = a wedding|getting married = get married|marry; a fishing licence = a licence to fish = be allowed to fish; a dog licence = the dog tax|registering a dog = register my dog = a year"),
    "parking": Trade("[the {o} car park|the {c} station car park|{s} Parking]", "early",
        "an hour = one hour|the first hour = park for an hour; a day = a whole day|all day = park all day|leave the car all day; a night = one night|overnight = park overnight; a lost ticket = losing the ticket = replace a ticket; a monthly pass = a season ticket|a month = park every day for a month; charging = charging the car|electricity = charge my car = an hour; a motorbike = parking a motorbike = park my motorbike = a day"),
    "storage": Trade("[{s} Storage|the {o} luggage office|the left luggage office of {c}]", "early",
        "a small locker = a little locker = lock up a bag = a day; a large locker = a big locker|one for suitcases = store two suitcases = a day; a storage room = a room for my furniture = store my furniture = a month; a box = a moving box = buy a box; a bike = storing a bike = leave my bike = a day; a suitcase = one suitcase|a bag = leave my suitcase|leave a bag = a day"),
    "rooms": Trade("[the {o} coworking space|the community centre {s}|{s} House|the music studios {o}]", "day",
        "a desk = a place to work|a workplace = work there = a day; a meeting room = a room for a meeting|the small room = hold a meeting = an hour; the hall = the big room = have a party there|rent the hall = an evening; a projector = a beamer = show slides|use a projector; coffee = coffee for the meeting|hot drinks = have coffee; a studio = a rehearsal room = rehearse|make music = an hour; a parking space = somewhere to park = park = a day"),
    "photo": Trade("[{s} Photography|the photo studio {n}|the {o} photo shop]", "day",
        "a passport photo = a photo for my passport|pass photos = have a passport picture taken; a family portrait = a picture of all of us = have our family photographed; an application photo = a picture for a job = get a photo for applications; *a print = one picture printed|a paper photo = print a photo; a frame = framing = have a picture framed; a wedding = a wedding shoot|photos of our wedding = have our wedding photographed"),
    "pharmacy": Trade("[the {s} pharmacy|the {o} chemist|the {o} Street Pharmacy]", "day",
        "a flu jab = a flu shot|the vaccination = get vaccinated|have a flu shot; a blood test = testing my blood = have my blood tested; a blood pressure check = measuring my blood pressure = have my blood pressure taken; delivery = bringing it home = have it brought home; a covid test = a test|a quick test = get tested"),
    "phones": Trade("[{s} Phones|the {o} phone repair|the computer shop {s}|{o} Electronics]", "day",
        "a screen repair = a new screen|a broken display = have my screen fixed|get a cracked screen mended; a battery change = a new battery|changing the battery = have my battery replaced; data recovery = saving my files = get my photos back|rescue my data; a check = having it looked at|finding the fault = have my computer looked at; a virus scan = cleaning my laptop = get rid of a virus; a charger = a charging cable = buy a charger"),
    "farm": Trade("[the farm shop {s}|the {o} winery|{s} Brewery|the {o} orchard|the {o} farm]", "day",
        "a tasting = trying the wines|tasting = taste the wine|try what you make; *an egg = one egg|eggs = buy an egg; a bottle of cider = cider = get cider; picking strawberries = strawberries to pick|pick your own = pick strawberries|pick our own = a kilo; a farm tour = being shown the farm = see the farm; a box of apples = apples|a crate of apples = buy apples; a Christmas tree = a fir tree = buy a christmas tree"),
    "tattoo": Trade("[the {o} tattoo studio|{n}'s piercing|{o} Ink]", "day",
        "a piercing = a hole in the ear|a nose ring = get pierced|have my ear pierced; a small tattoo = a little tattoo = get a small tattoo; an hour of tattooing = tattoo work = be tattooed = an hour; a removal = getting rid of a tattoo|laser = have my tattoo removed; a touch up = a refresh = have my tattoo touched up"),
    "kennel": Trade("[the {o} cattery|{s} Kennels|{n}'s dog hotel|the {o} dog school]", "day",
        "boarding a dog = a place for my dog|dog boarding = leave my dog|have my dog looked after = a night; boarding a cat = cat boarding|a place for the cat = leave my cat with you = a night; a dog walk = walking the dog = have my dog walked; puppy school = a course for my puppy|puppy training = train my puppy; a bath = washing the dog = have my dog bathed; daycare = looking after him in the day = leave him for a day = a day"),
    "events": Trade("[the {o} escape rooms|the {c} planetarium|the {o} laser hall|the {o} trampoline park|the mini golf {s}|the {o} fun park]", "evening",
        "a game = one game|one go = play|have a game; a round of mini golf = mini golf|a round = play mini golf; an hour of jumping = jumping|one hour = jump|let the kids jump; a birthday party = a party for my son|a kid's party = celebrate my daughter's birthday = a child; a pair of socks = socks|grip socks = get socks; a show = the star show|one show = see a show; the haunted house = the ghost ride = go in the haunted house"),
    "travel": Trade("[the {o} ferry|the {c} bus line|the cable car {s}|the {o} railway|{s} Travel]", "early",
        "a single = one way|a single ticket = go one way|go over; a return = there and back|a return ticket = go there and back; a day ticket = a ticket for the whole day = travel all day; a bicycle = taking my bike|a bike = take my bike; a dog = taking a dog|my dog = take my dog; a car = taking the car|the car = take my car across; a seat reservation = a reserved seat = reserve a seat"),
    "child": Trade("[the {o} nursery|the {c} playhouse|{n}'s play cafe|the {o} day camp]", "day",
        "a day = one day|a whole day = leave my child for a day; half a day = a morning = leave my son for the morning; lunch = the midday meal|a warm meal = let him eat lunch there; a trial day = a taster day|a first day = try it for a day; the holiday club = the holidays|the club in the summer = send my kids in the holidays = a week; craft material = material for crafts = do crafts"),
    "open": Trade("[the {o} {o}|{s} and {s}|{n}'s {o}|the {o} of {c}|the {o} centre]", "day",
        "a {o} = the {o}|one {o}; a {o} {o} = a {o} {o}|the {o} one; {o}ing = some {o}ing = {o}; a {o} session = one session|a {o} hour = have a {o} session; a {o} card = the card = get a {o} card; *a {o} token = one token = buy a token; a {o} check = the check = have a {o} check; a {o} repair = mending a {o} = have my {o} repaired|get my {o} fixed; {o} hire = hiring a {o}|a {o} to borrow = rent a {o}|hire a {o} = a day; {o} cleaning = having my {o} cleaned = get my {o} cleaned"),
}  # fmt: skip


#: Where people pay to come in.
TICKETED: Final = frozenset(
    ("pool", "museum", "zoo", "cinema", "events", "travel", "farm", "sports", "boats")
)


def parsed(line: str) -> Ware:
    """``*said = nouns = verbs = unit`` as a ware."""
    parts = [part.strip() for part in line.split("=")] + ["", "", ""]
    cheap = parts[0].startswith("*")
    return Ware(parts[0].removeprefix("*"), parts[1], parts[2], parts[3], cheap)
