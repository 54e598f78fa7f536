"""Five domains of made-up notes, and fifty pairs planted across: half say a thing in other words, half share a name.

The notes of a domain are put together from its own phrases, so that there is much in each that is alike; the planted
ones were written by hand, before what finds them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

__all__ = ["DOMAINS", "Note", "Pair", "notes", "pairs"]


class Note(NamedTuple):
    """An atom to be, and the domain it belongs to."""

    name: str
    value: str
    domain: str


class Pair(NamedTuple):
    """Two notes of different domains that belong together. `kind`: meaning or entity."""

    one: Note
    other: Note
    kind: str


_PHRASES = {
    "clinic": (
        (
            "The night nurse",
            "A visiting doctor",
            "The ward clerk",
            "One of the surgeons",
            "The day-shift porter",
            "A trainee physiotherapist",
            "The duty pharmacist",
            "An anaesthetist",
            "The triage desk",
            "A radiographer",
        ),
        (
            "checks",
            "signs for",
            "orders",
            "logs",
            "brings up",
            "relabels",
            "counts",
            "hands over",
            "asks about",
            "puts away",
        ),
        (
            "the blood samples",
            "clean bed linen",
            "insulin pens",
            "the discharge letters",
            "oxygen bottles",
            "the allergy list",
            "X-ray plates",
            "wound dressings",
            "the vaccine fridge",
            "meal trays",
        ),
    ),
    "shipyard": (
        (
            "The welding crew",
            "A dock foreman",
            "The crane operator",
            "One of the riggers",
            "The paint shop",
            "A marine surveyor",
            "The pipe fitters",
            "An apprentice joiner",
            "The yard office",
            "A diver",
        ),
        ("repairs", "inspects", "lifts", "measures", "strips", "moves", "seals", "rejects", "marks", "delivers"),
        (
            "the stern ramp",
            "hull plates",
            "the bow thruster",
            "cabin doors",
            "ballast pipes",
            "the anchor winch",
            "engine mounts",
            "the mast fittings",
            "rudder bearings",
            "deck hatches",
        ),
    ),
    "bakery": (
        (
            "The early baker",
            "A counter assistant",
            "The pastry cook",
            "One of the drivers",
            "The owner",
            "A weekend helper",
            "The flour supplier",
            "An oven fitter",
            "The café next door",
            "A wedding customer",
        ),
        ("orders", "tastes", "wraps", "burns", "praises", "returns", "weighs", "sells", "reserves", "photographs"),
        (
            "rye loaves",
            "almond croissants",
            "the sourdough starter",
            "plum cakes",
            "butter rolls",
            "salted pretzels",
            "the cinnamon buns",
            "oat biscuits",
            "lemon tarts",
            "gluten-free bread",
        ),
    ),
    "school": (
        (
            "The maths teacher",
            "A substitute",
            "The headmistress",
            "One of the parents",
            "The caretaker",
            "A class representative",
            "The school librarian",
            "An exchange pupil",
            "The sports department",
            "A bus driver",
        ),
        (
            "announces",
            "postpones",
            "plans",
            "grades",
            "collects",
            "forgets",
            "prepares",
            "copies",
            "defends",
            "explains",
        ),
        (
            "the spring concert",
            "algebra homework",
            "the field trip",
            "reading lists",
            "the seating plan",
            "swimming lessons",
            "report cards",
            "the chemistry test",
            "lost jackets",
            "the debating club",
        ),
    ),
    "observatory": (
        (
            "The night assistant",
            "A visiting astronomer",
            "The dome engineer",
            "One of the students",
            "The data team",
            "A retired optician",
            "The spectrograph group",
            "An amateur observer",
            "The site manager",
            "A software intern",
        ),
        (
            "records",
            "calibrates",
            "reschedules",
            "aligns",
            "archives",
            "cools",
            "plots",
            "re-reduces",
            "doubts",
            "publishes",
        ),
        (
            "the comet images",
            "flat fields",
            "the guide camera",
            "variable stars",
            "seeing statistics",
            "the main mirror",
            "asteroid positions",
            "dark frames",
            "the filter wheel",
            "supernova spectra",
        ),
    ),
}
DOMAINS = tuple(_PHRASES)

_REWORDED = (
    (
        "clinic",
        "Hands must be washed before touching any patient",
        "bakery",
        "Nobody kneads dough without having cleaned their fingers with soap",
    ),
    (
        "clinic",
        "The power failed for two hours during the storm",
        "observatory",
        "Lightning left us without electricity all evening",
    ),
    (
        "clinic",
        "Visitors have to leave the building at eight in the evening",
        "school",
        "Guests may stay on the premises until 8 pm at the latest",
    ),
    (
        "clinic",
        "Expired medicine is thrown away every Monday",
        "bakery",
        "At the start of each week we discard goods past their date",
    ),
    (
        "clinic",
        "The lift is out of order until the spare part arrives",
        "shipyard",
        "We cannot use the elevator as long as the replacement component is missing",
    ),
    (
        "shipyard",
        "Everyone on site wears a hard hat",
        "observatory",
        "A protective helmet is compulsory for all staff under the dome",
    ),
    (
        "shipyard",
        "Rust is the main reason for delays this year",
        "observatory",
        "Corrosion has held us up more than anything else lately",
    ),
    (
        "shipyard",
        "Payment is due thirty days after delivery",
        "bakery",
        "Customers have one month to settle their invoice once they got the goods",
    ),
    (
        "shipyard",
        "The apprentices start their training in September",
        "school",
        "Autumn is when the new trainees begin their education",
    ),
    (
        "shipyard",
        "Loud work stops at ten so that neighbours can sleep",
        "clinic",
        "After 22:00 it has to be quiet because people nearby rest",
    ),
    (
        "bakery",
        "Children under six get a free drink",
        "school",
        "Kids younger than six years receive a beverage at no charge",
    ),
    (
        "bakery",
        "Our landlord raises the rent by five percent",
        "clinic",
        "The owner of the building wants more money for the lease from now on",
    ),
    (
        "bakery",
        "The alarm code was changed after the burglary",
        "school",
        "Since thieves broke in, there is a new number for the security system",
    ),
    (
        "bakery",
        "We buy electricity from a wind farm",
        "observatory",
        "Our energy comes from turbines driven by the breeze",
    ),
    (
        "bakery",
        "Complaints are answered within one working day",
        "shipyard",
        "Unhappy clients hear back from us by the next business day",
    ),
    (
        "school",
        "The heating is switched off over the winter holidays",
        "observatory",
        "No radiators run between Christmas and New Year",
    ),
    (
        "school",
        "Photographs of pupils need written consent of their parents",
        "clinic",
        "Taking pictures of minors requires a signed permission from mother or father",
    ),
    (
        "school",
        "The roof leaks above the gymnasium when it rains",
        "shipyard",
        "Water drips through the ceiling of the hall in wet weather",
    ),
    (
        "school",
        "Bicycles are parked behind the main building",
        "bakery",
        "Leave your bike in the yard at the rear of the house",
    ),
    (
        "school",
        "Passwords must be changed every ninety days",
        "observatory",
        "Login secrets have to be renewed once a quarter",
    ),
    (
        "observatory",
        "The road to the summit is closed by snow",
        "clinic",
        "Blizzards have blocked the mountain route, so ambulances cannot get up",
    ),
    (
        "observatory",
        "Backups are copied to a second building each night",
        "clinic",
        "Every evening a duplicate of all records is stored at another location",
    ),
    (
        "observatory",
        "A fox has chewed through the network cable",
        "school",
        "The internet line was bitten apart by a wild animal",
    ),
    (
        "observatory",
        "We lack money to hire another engineer",
        "shipyard",
        "The budget does not allow recruiting one more technician",
    ),
    (
        "observatory",
        "Smoking is forbidden anywhere near the instruments",
        "bakery",
        "Cigarettes are not allowed around the ovens",
    ),
)

_NAMED = (
    (
        "clinic",
        "The defibrillators are serviced by Quillfeather Medical",
        "shipyard",
        "Quillfeather still owes us for two rescue boats",
    ),
    ("clinic", "Dr Ottilie Brandvold moved to the second floor", "school", "Ottilie Brandvold gave a talk on careers"),
    ("clinic", "Invoice KX-7731 was paid twice", "bakery", "The accountant asks what KX-7731 refers to"),
    (
        "clinic",
        "The monitors run on the Zelkova operating system",
        "observatory",
        "Zelkova crashed again at three in the morning",
    ),
    ("clinic", "Linen goes to the laundry in Hethersgill", "bakery", "Our second shop will open in Hethersgill"),
    (
        "shipyard",
        "The tug Marguerite Ash comes in for a new propeller",
        "school",
        "The boat trip on the Marguerite Ash costs nine euros",
    ),
    ("shipyard", "Varnish is bought from Pellegrin and Sons", "bakery", "Pellegrin wants to rent the cellar"),
    (
        "shipyard",
        "The insurer of the floating dock is Nordhavn Mutual",
        "clinic",
        "Nordhavn refuses to pay for the flooded basement",
    ),
    (
        "shipyard",
        "Sensors of type TQ4410 fail in salt water",
        "observatory",
        "Replace the TQ4410 before the cold season",
    ),
    (
        "shipyard",
        "Inspector Balthasar Wray comes on Thursday",
        "bakery",
        "Balthasar Wray found mouse droppings in the store room",
    ),
    ("bakery", "Flour from the Kestrelmoor mill is too coarse", "school", "The third form visits Kestrelmoor in June"),
    (
        "bakery",
        "The ovens are financed by Fennimore Credit",
        "observatory",
        "A grant of Fennimore pays for the new camera",
    ),
    ("bakery", "Our delivery van is maintained by Garage Szymborski", "clinic", "Szymborski towed the ambulance away"),
    (
        "bakery",
        "A recipe of grandmother Philippine Auerdahl",
        "school",
        "The building is named after Philippine Auerdahl",
    ),
    ("bakery", "Till software is called Ledgerlark", "shipyard", "Ledgerlark exports wrong totals for overtime"),
    ("school", "Tablets are locked by Guardianwing", "clinic", "Guardianwing blocks the pages of the pharmacy"),
    ("school", "The choir sings the Tenebrae of Vasquillon", "observatory", "Asteroid 20917 was named Vasquillon"),
    ("school", "Lunch is cooked by Messrs Oyelaran", "bakery", "Oyelaran takes forty baguettes a day"),
    ("school", "Room 14 smells of Naphtholene polish", "shipyard", "Naphtholene must not be stored beside the boilers"),
    ("school", "The exchange goes to Sankt Wolfhelm", "clinic", "A patient was flown in from Wolfhelm"),
    ("observatory", "Cooling pumps are made by Thrushcombe", "bakery", "Thrushcombe repaired the freezer at last"),
    ("observatory", "Professor Ignatia Lund retires in May", "shipyard", "The launch will be opened by Ignatia Lund"),
    ("observatory", "The cleaning firm is Sparrowgate", "clinic", "Sparrowgate lost the key of the pharmacy"),
    (
        "observatory",
        "Time signals come from the Drachenfurt transmitter",
        "shipyard",
        "A crane has to be sent to Drachenfurt",
    ),
    ("observatory", "The visitors centre sells Corbeaumont postcards", "school", "Corbeaumont prints our yearbook"),
)


def pairs() -> list[Pair]:
    """The fifty that are planted. Their names say nothing, and no two have a part in common."""
    numbers = random.Random(7).sample(range(100_000, 1_000_000), 2 * (len(_REWORDED) + len(_NAMED)))
    named = iter(f"v1.fact.p{number}" for number in numbers)
    return [
        Pair(Note(next(named), one, here), Note(next(named), other, there), kind)
        for kind, planted in (("meaning", _REWORDED), ("entity", _NAMED))
        for here, one, there, other in planted
    ]


def notes(of_each: int) -> Iterator[Note]:
    """So many notes of each domain, the planted ones among them."""
    planted = [note for pair in pairs() for note in (pair.one, pair.other)]
    yield from planted
    for domain, parts in _PHRASES.items():
        made = [" ".join(said) for said in product(*parts)]
        random.Random(domain).shuffle(made)
        room = of_each - sum(note.domain == domain for note in planted)
        for number, value in enumerate(made[:room]):
            yield Note(f"v1.fact.{domain}_{number}", value, domain)
