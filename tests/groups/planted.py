"""Notes of a small firm and a household. Some are said twice, weeks apart, by the same person: those are the pairs.

The others are about the same things, and say something else.
"""

from __future__ import annotations

from typing import Final

__all__ = ["OTHERS", "TWICE", "planted"]

TWICE: Final = (
    ("The bins go out on Tuesday evening", "Bins have to go out on Tuesday evenings"),
    ("Ada is allergic to oysters and mussels", "Ada has an allergy to oysters and mussels"),
    ("The payment provider is Stripe", "Our payment provider is Stripe"),
    ("Backups of the ledger run every night at two", "Every night at two, backups of the ledger run"),
    ("The landlord wants the rent by bank transfer", "The rent goes to the landlord by bank transfer"),
    (
        "We decided to keep the importer out of the first release",
        "Decision: the importer stays out of the first release",
    ),
    ("Milo sees the vet in the harbour street", "Milo's vet is in the harbour street"),
    ("The staging database is wiped on Sundays", "On Sundays the staging database gets wiped"),
    ("Grandmother's recipe needs a pinch of cardamom", "A pinch of cardamom goes into grandmother's recipe"),
    ("The projector in the big room needs a VGA adapter", "You need a VGA adapter for the projector in the big room"),
    ("Jonas takes his coffee black", "Jonas drinks his coffee black"),
    (
        "Invoices above a thousand euros need two signatures",
        "Two signatures are needed on invoices above a thousand euros",
    ),
    ("The spare key hangs behind the boiler", "A spare key is hanging behind the boiler"),
    (
        "Kubernetes upgrades happen in the first week of a quarter",
        "We do Kubernetes upgrades in the first week of a quarter",
    ),
    ("Nadia prefers to be called in the morning", "Nadia prefers calls in the morning"),
    ("The tulips were planted along the south wall", "Tulips are planted along the south wall"),
    ("Feature flags are removed after a month", "After a month, feature flags are removed"),
    ("The piano tuner comes every spring", "Every spring the piano tuner comes"),
    ("Our cat is afraid of the vacuum cleaner", "The cat is afraid of the vacuum cleaner"),
    ("The auditors want access to the archive", "Access to the archive is what the auditors want"),
    ("Pull requests need a green pipeline before review", "Before review, pull requests need a green pipeline"),
    ("Uncle Theo collects stamps from Iceland", "Uncle Theo is a collector of stamps from Iceland"),
    ("The conference badge must be picked up before nine", "Pick up the conference badge before nine"),
    ("Winter tyres are stored at the garage in Leiden", "The garage in Leiden stores the winter tyres"),
    ("The search index is rebuilt after every import", "After every import we rebuild the search index"),
    ("Lena's thesis is about migrating birds", "The thesis of Lena is about migrating birds"),
    ("The oven runs ten degrees too hot", "Our oven runs ten degrees too hot"),
    ("Customer emails are answered within a day", "We answer customer emails within a day"),
    ("The swimming lessons are paid until Easter", "Swimming lessons are paid for until Easter"),
    ("The logo may never be stretched or recoloured", "Never stretch or recolour the logo"),
    ("The night shift starts at ten in the evening", "At ten in the evening the night shift starts"),
    ("Dr. Brandt changed the blood pressure tablets", "The blood pressure tablets were changed by Dr. Brandt"),
    ("Our newsletter goes out through Mailgun", "The newsletter is sent through Mailgun"),
    ("The cellar floods when it rains for days", "When it rains for days the cellar floods"),
    ("Translations are done by an agency in Porto", "An agency in Porto does the translations"),
    ("The violin is insured with the orchestra", "The orchestra insures the violin"),
    ("Passports are in the grey safe", "The passports lie in the grey safe"),
    ("Interns get a mentor from another team", "Each intern gets a mentor from another team"),
    ("The telescope needs new batteries", "New batteries are needed for the telescope"),
    ("Access logs are kept for ninety days", "We keep access logs for ninety days"),
)

OTHERS: Final = (
    "The paper bin is emptied on Friday",
    "Ada likes grilled fish",
    "Stripe raised its fees in March",
    "The ledger counts in cents",
    "The landlord paints the stairs this summer",
    "The importer reads spreadsheets",
    "Milo eats twice a day",
    "The staging server has little memory",
    "Grandmother was born in Trieste",
    "The big room seats twenty people",
    "Jonas cycles to work",
    "Invoices are sent as PDF",
    "The boiler was serviced in May",
    "Kubernetes runs in two regions",
    "Nadia approves refunds",
    "The south wall needs plaster",
    "Feature flags live in a table",
    "The piano is a Bechstein",
    "The vacuum cleaner is under warranty",
    "The archive is in the cellar",
    "The pipeline takes twelve minutes",
    "Uncle Theo lives in Bergen",
    "The conference is in Valencia",
    "Summer tyres are worn down",
    "The search index holds German words",
    "Lena plays the cello",
    "The oven door squeaks",
    "Customer emails arrive in a shared inbox",
    "The swimming pool closes in August",
    "The logo was drawn by Pia",
    "The day shift is understaffed",
    "Dr. Brandt retires next year",
    "Our newsletter has four thousand readers",
    "The cellar holds the wine",
    "Porto is twinned with our town",
    "The orchestra rehearses on Wednesdays",
    "The grey safe came from an auction",
    "Interns eat for free",
    "The telescope shows the moons of Jupiter",
    "Access to the roof is closed",
)


def planted() -> tuple[list[str], set[frozenset[int]]]:
    """All notes, and which are the pairs."""
    notes = [*(first for first, _ in TWICE), *OTHERS, *(second for _, second in TWICE)]
    behind = len(TWICE) + len(OTHERS)
    return notes, {frozenset((at, behind + at)) for at in range(len(TWICE))}
