"""What the store of before says: a small company that sells lamps, and some of Python's own documentation."""

# ruff: noqa: E501, RUF001 - a text is a line, and may be Greek

from __future__ import annotations

import bisect
import calendar
import codecs
import collections
import contextlib
import csv
import datetime as dt
import difflib
import fnmatch
import functools
import heapq
import html
import inspect
import io
import ipaddress
import json
import logging
import os.path
import queue
import random
import shutil
import statistics
import tempfile
import textwrap
import threading
import urllib.parse
import zipfile
from collections.abc import Iterator
from typing import Any

DOMAINS = {
    "shop": "Everything that a customer sees before the order is placed",
    "payments": "How money comes in, and how it goes back",
    "infra": "Machines, networks, deployments and what keeps them running",
    "people": "Who works here, and how we want to work together",
    "legal": "Contracts, data protection and what the authorities ask for",
    "research": "New lamps, materials and measurements",
    "python": "What the standard library offers, for those who write our scripts",
    "archive": "What is over, and is kept for reference",
}
HUBS = {
    "goals": "What we want to reach this year",
    "corrections": "What an agent got wrong, and how it is right",
    "checkout_team": "The people and notes of the checkout team",
    "night_shift": "What is needed when one is woken up at night",
    "suppliers": "Who sells us parts",
    "winter_sale": "All that belongs to the winter sale",
}
SERVICES = {
    # name: owner, port, timeout, language, region, purpose
    "billing": ("Ada Lindholm", 8081, "30 s", "Kotlin", "Frankfurt", "It writes invoices and sends reminders"),
    "catalogue": ("Bruno Keller", 8082, "5 s", "Go", "Frankfurt", "It knows every lamp, its photos and its prices"),
    "checkout": ("Chioma Eze", 8083, "12 s", "Kotlin", "Frankfurt", "It turns a basket into an order"),
    "delivery": ("Dmitri Orlov", 8084, "20 s", "Python", "Dublin", "It books parcels and follows them to the door"),
    "identity": ("Esra Yilmaz", 8085, "3 s", "Rust", "Frankfurt", "It signs customers in, and out again"),
    "ledger": ("Ada Lindholm", 8086, "15 s", "Kotlin", "Frankfurt", "It keeps every booking, and never changes one"),
    "mailer": ("Farid Haddad", 8087, "45 s", "Python", "Dublin", "It sends letters about orders, and newsletters"),
    "pricing": ("Bruno Keller", 8088, "2 s", "Go", "Frankfurt", "It computes what a basket costs, discounts included"),
    "recommender": ("Grete Holm", 8089, "1 s", "Python", "Dublin", "It says what else a customer may like"),
    "search": ("Grete Holm", 8090, "800 ms", "Rust", "Frankfurt", "It finds lamps by what customers type"),
    "stock": ("Dmitri Orlov", 8091, "6 s", "Go", "Dublin", "It counts what lies in the warehouse"),
    "support": ("Hana Sato", 8092, "10 s", "Python", "Dublin", "It is where complaints arrive and are answered"),
}
PEOPLE = {
    "ada_lindholm": "Ada Lindholm, head of finance, works from Gothenburg and closes the books on the third working day",
    "bruno_keller": "Bruno Keller keeps the catalogue and has photographed most of the lamps himself",
    "chioma_eze": "Chioma Eze leads the checkout team and answers for conversion",
    "dmitri_orlov": "Dmitri Orlov runs the warehouse software; he is on call every third week",
    "esra_yilmaz": "Esra Yilmaz looks after accounts, sign-in and everything that has to do with security",
    "farid_haddad": "Farid Haddad writes the newsletters and the code that sends them",
    "grete_holm": "Grete Holm does ranking and recommendations, and holds a doctorate in optics",
    "hana_sato": "Hana Sato heads customer support; she speaks Japanese, English and German",
    "ines_ferreira": "Inês Ferreira is our lawyer for data protection and contracts with suppliers",
    "jonas_bergström": "Jonas Bergström measures lamps in the laboratory: flicker, colour and heat",
    "kofi_mensah": "Kofi Mensah is an apprentice; he rotates through all teams, three months each",
    "lucía_navarro": "Lucía Navarro buys glass and brass, and knows every supplier by first name",
}
FACTS = {
    "payment_provider": "Stripe",
    "currency": "EUR",
    "vat_rate": "19%",
    "return_period": "30 days",
    "free_delivery_from": "60 EUR",
    "warehouse.city": "Leipzig",
    "warehouse.shelves": "The warehouse has 412 shelves on two floors, and a lift that takes one pallet",
    "office.city": "Hamburg",
    "office.wifi": "Guests use the network called marigold-guests; it is switched off at eight in the evening",
    "customers.active": "About 48,000 customers ordered something within the last twelve months",
    "customers.countries": "Most orders come from Germany, then from Austria, the Netherlands and Denmark",
    "brand.colour": "Marigold orange, which is 255, 159, 28 on a screen",
    "brand.voice": "We write to customers as to a neighbour: short sentences, no exclamation marks",
    "lamp.aurora.power": "9 W",
    "lamp.aurora.colour": "The Aurora shines at 2700 kelvin, which most people call warm white",
    "lamp.borealis.power": "14 W",
    "lamp.borealis.dimming": "The Borealis can be dimmed down to one percent without flicker",
    "lamp.cassiopeia.glass": "The shade of the Cassiopeia is blown in Murano and no two of them are alike",
    "lamp.draco.bulb": "The Draco takes a bulb with an E14 thread",
    "lamp.eridanus.cable": "The cable of the Eridanus is three metres long and covered with linen",
    "database.engine": "PostgreSQL 15 holds orders, customers and stock",
    "database.backup": "A full backup is made every night at two, and kept for thirty days",
    "database.replica": "One replica in Dublin follows the primary in Frankfurt by less than a second",
    "cache.engine": "Valkey holds sessions and baskets for at most forty-eight hours",
    "queue.engine": "Orders travel between services through RabbitMQ",
    "monitoring.tool": "Dashboards are in Grafana, alerts come from Prometheus",
    "deploy.window": "Deployments happen from Monday to Thursday between nine and four",
    "deploy.tool": "Releases are rolled out by Argo CD from the main branch",
    "oncall.phone": "Whoever is on call carries the red telephone and the laptop that goes with it",
    "oncall.escalation": "If nobody answers within fifteen minutes the alert goes to Esra Yilmaz",
    "sla.target": "99.9%",
    "tls.certificates": "Certificates are renewed by themselves sixty days before they end",
    "legal.form": "Marigold Lamps is a GmbH, registered at the court of Hamburg",
    "legal.retention": "Invoices are kept for ten years, letters for six",
    "legal.privacy_officer": "Inês Ferreira is the officer for data protection",
    "legal.deletion_deadline": "A request to delete personal data is answered within thirty days",
    "marketing.newsletter_day": "The newsletter goes out on Thursdays at six in the morning",
    "marketing.budget": "24,000 EUR a month",
    "supplier.glass": "Vetreria Lorenzi in Murano blows our glass; delivery takes nine weeks",
    "supplier.brass": "Brass parts are turned by Metallbau Kühn in Solingen",
    "supplier.led": "LED modules come from Nordlys in Bergen, in boxes of five hundred",
    "refund.average_time": "A refund reaches the customer after four days on average",
    "fraud.rate": "Of a thousand orders two turn out to be fraudulent",
    "fraud.rule": "Orders above 400 EUR to an address that was never used before are looked at by a person",
    "support.hours": "Customer support answers from eight in the morning until seven in the evening",
    "support.languages": "We answer in German, English, Dutch and Danish",
    "packaging.material": "Lamps are packed in moulded paper, without plastic",
    "packaging.breakage": "One lamp in four hundred arrives broken",
    "laboratory.spectrometer": "The spectrometer was calibrated in March and drifts by half a nanometre a year",
    "meeting.weekly": "The whole company meets on Tuesdays at ten, for half an hour, standing",
    "holiday.days": "Everybody has thirty days of holiday",
    "printer.location": "The label printer stands beside the lift on the ground floor",
}
DECISIONS = {
    "ledger.cents": "Amounts are integers, in cents; nothing about money is a floating point number",
    "ledger.append_only": "A booking is never changed: a mistake is corrected by a second booking",
    "api.versioning": "Interfaces carry their version in the path, and an old one lives for a year",
    "language.new_services": "New services are written in Go or Python unless there is a reason",
    "monorepo": "All services live in one repository, with one pipeline for each folder",
    "feature_flags": "Whatever can be seen by customers is first switched on for five percent of them",
    "incident.review": "After each incident there is a review without blame within five working days",
    "supplier.two_sources": "For every part that stops production we have two suppliers",
    "lamp.repair": "Every lamp we sell can be repaired for ten years; spare parts are listed with their prices",
    "data.region": "Personal data of customers stays in the European Union",
    "testing.payments": "Payments are tested against the provider's sandbox each night, never with real cards",
    "search.synonyms": "Synonyms are kept by hand: a lamp is also a light, a lantern and a luminaire",
    "newsletter.consent": "Nobody gets a newsletter who has not confirmed the address by a link",
    "oncall.rotation": "Six people share the night; nobody is on call for two weeks in a row",
    "prices.round": "Prices end in full euros, since ninety-nine cents look like a trick",
    "photos.light": "Photos of lamps are taken twice: switched on in the dark, switched off by day",
    "warehouse.robots": "We buy no robots before the second warehouse is open",
    "hiring.pair": "Applicants work with us for a paid day; there are no puzzles at a whiteboard",
}
CONSTRAINTS = {
    "card_numbers": "Card numbers must never reach our own servers",
    "friday_deploys": "Nothing is deployed on a Friday, nor on the day before a holiday",
    "refund_limit": "Refunds above 200 EUR need the agreement of finance",
    "personal_data_in_logs": "Log lines must not contain names, addresses or mail addresses of customers",
    "discount_limit": "No discount is larger than forty percent without the agreement of Chioma Eze",
    "two_reviewers": "Changes to billing and ledger need two reviewers",
    "night_noise": "Deliveries to the warehouse arrive after seven in the morning, because of the neighbours",
    "lithium": "Lamps with batteries travel by road and never by air",
    "test_data": "Test data is invented and never copied from production",
}
GOALS = {
    "conversion": "Three visitors of a hundred shall place an order by the end of the year",
    "second_warehouse": "A second warehouse in Rotterdam opens in spring",
    "carbon": "Until 2027 each parcel causes half the carbon dioxide that it did in 2022",
    "repair_share": "One in ten lamps that come back is repaired and sold again",
    "page_speed": "The start page is shown within one second on a telephone",
    "denmark": "Denmark becomes the third largest market",
    "apprentices": "Each team teaches one apprentice a year",
    "incident_count": "Fewer than four incidents a quarter wake somebody up",
}
PREFERENCES = {
    "commit_messages": "Commit messages say why, in a full sentence",
    "dates": "Dates are written as 2024-05-31 in code and as 31 May 2024 in letters",
    "meetings": "Meetings have an agenda or do not take place",
    "ada.reports": "Ada likes tables with totals at the top and no more than one page",
    "chioma.charts": "Chioma wants lines rather than bars, and the axis to begin at zero",
    "hana.tone": "Hana wants letters to customers to begin with what we will do, then with why",
    "esra.alerts": "Esra wants to be called at night only if customers cannot sign in",
    "tabs": "Four spaces, and tabs in makefiles only",
    "british": "We write British English: colour, catalogue, metre",
    "coffee": "The last one to leave switches the coffee machine off",
}
PROCEDURES = {
    "refund": "Up to 50 EUR nobody is asked; above, support asks the team lead; above 200 EUR finance agrees in writing",
    "bank_file": "Export the bank file before ten, compare the total with the ledger, and upload it to the bank",
    "close_books": "Lock the month, export the bank file, settle open items, send the report to Ada Lindholm",
    "deploy_rollback": "Open Argo CD, choose the release before, press sync, watch the error rate for ten minutes",
    "incident_start": "Open a channel, name a leader, write down the time, tell support what customers see",
    "incident_review": "Collect the timeline, ask what surprised us, agree on at most three actions with owners",
    "onboarding": "Laptop on the first day, accounts by Esra Yilmaz, a walk through the warehouse, a first change by Friday",
    "delete_customer": "Check who asks, erase the account, the letters and the recommendations, keep invoices, answer in writing",
    "newsletter": "Write the text, let Hana Sato read it, send it to ourselves, then to five percent, then to all",
    "photo_session": "Dark room, tripod, grey card; ten pictures of each lamp; name the files by article number",
    "stocktaking": "Count each shelf twice, by two people, and enter both numbers before they are compared",
    "supplier_claim": "Photograph the broken parts, fill in the claim sheet, send both to Lucía Navarro within three days",
    "database_restore": "Stop the writers, restore the newest backup beside the old files, replay the log, compare the counts",
    "certificate_renewal": "If the renewal failed, run it by hand on the gateway and restart the proxy afterwards",
    "winter_sale": "Agree on discounts in October, freeze the catalogue in November, switch the banner on at midnight",
}
EVENTS = [
    # day, name, text
    ("2024-01-16", "incident.checkout_down", "Checkout answered nobody for twenty-two minutes: the pool of database connections was used up"),
    ("2024-02-02", "meeting.kickoff_denmark", "Kick-off for Denmark: Hana finds two people for support, Farid translates the letters"),
    ("2024-02-20", "incident.double_invoice", "Ninety customers got the same invoice twice, since a message was delivered again after a restart"),
    ("2024-03-08", "visit.murano", "Lucía visited Vetreria Lorenzi in Murano; the furnace is rebuilt in August and stands still for four weeks"),
    ("2024-03-27", "release.search_v2", "The new search went live for all; the share of searches without a result fell from eleven to four percent"),
    ("2024-04-15", "audit.payments", "An auditor looked at payments for two days and found one thing: a log line with a mail address"),
    ("2024-05-06", "incident.slow_search", "Search took four seconds for an hour after the index was rebuilt at noon"),
    ("2024-05-23", "meeting.warehouse_rotterdam", "We looked at three halls in Rotterdam; the one by the Waalhaven is the favourite"),
    ("2024-06-11", "measurement.aurora_flicker", "Jonas measured the flicker of the Aurora: 0.4 percent at 100 hertz, which nobody can see"),
    ("2024-07-01", "release.mobile_checkout", "Checkout on telephones now has two pages instead of five"),
    ("2024-07-19", "incident.certificate", "The certificate of the delivery service ended in the night, and no parcel could be booked until seven"),
    ("2024-08-05", "visit.bergen", "Grete and Jonas visited Nordlys in Bergen and saw the new modules that need no heat sink"),
    ("2024-09-12", "incident.wrong_prices", "For nine minutes all lamps cost one euro; 31 orders were cancelled with an apology and a voucher"),
    ("2024-10-02", "meeting.winter_sale", "Winter sale: twenty percent on floor lamps, the Cassiopeia is left out, the banner is orange"),
    ("2024-11-14", "audit.data_protection", "The authority asked how long baskets are kept; forty-eight hours was found to be fine"),
    ("2024-11-29", "record.black_friday", "On Black Friday 3,912 orders came in, the most on one day so far"),
    ("2025-01-21", "incident.stock_negative", "Stock showed minus four pieces of the Draco after two people counted at the same time"),
    ("2025-02-18", "meeting.repairs", "A workshop for repairs opens in Leipzig with two places and a shelf of spare parts"),
    ("2025-03-31", "release.denmark", "The shop opened in Danish; two hundred orders came in the first week"),
    ("2025-05-09", "measurement.borealis_heat", "After six hours the Borealis is at 61 degrees at its hottest point, measured with a thermal camera"),
    ("2025-06-17", "incident.mail_queue", "Forty thousand letters waited for six hours since the provider took only one a second"),
    ("2025-07-07", "visit.solingen", "Metallbau Kühn bought a second lathe and can deliver brass parts in three weeks"),
    ("2025-08-26", "release.repair_portal", "Customers can now send a lamp in for repair from their account"),
]  # fmt: skip
TASKS = {
    "fix_retry": "Make the delivery of messages idempotent so that no invoice is sent twice",
    "rotterdam_contract": "Read the lease for the hall in Rotterdam and ask for a break clause after three years",
    "translate_returns": "Translate the page about returns into Danish and let Hana read it",
    "index_at_night": "Move the rebuild of the search index from noon to three in the morning",
    "alert_certificates": "Raise an alarm if a certificate ends within fourteen days",
    "measure_eridanus": "Measure the Eridanus with the new spectrometer and update its page",
    "spare_parts_list": "Publish the prices of all spare parts, lamp by lamp",
    "basket_tests": "Write tests for baskets with two vouchers and a gift card",
}
NOTES = {
    "münchen": "In München öffnet im Frühjahr ein Laden für Leuchten; Größe: 80 m², Miete 3.200 € im Monat",
    "tokyo": "東京の代理店は十月から照明を販売します。見本は三つ送りました。",
    "cairo": "وصلت المصابيح إلى القاهرة في حالة جيدة",
    "kyiv": "Партнёр из Киева просит каталог на украинском языке",
    "athens": "Ο φωτισμός του μουσείου στην Αθήνα θα είναι έτοιμος τον Μάιο",
    "emoji": "The label for fragile parcels is 🏮 with a crack ⚡ through it",
    "café": "Le café de la rue Crémieux a commandé dix lampes Cassiopeia, avec un câble rouge",
    "naïve": "A naïve reading of the meter doubles the heat loss: the ﬁrst digit is a tariff, not a value",
    "seoul": "서울 전시회에서 오로라 램프가 가장 많은 관심을 받았다",
    "idea.rental": "Lamps could be rented to theatres by the month instead of being sold",
    "idea.subscription": "A bulb in the letter box each autumn, for those who want it",
    "idea.workshop": "An evening each month on which customers build a lamp with us",
    "quote.customer": "A customer wrote: the light is so calm that my cat has moved under the lamp",
    "quote.grete": "Grete says that good light is the one that nobody mentions",
    "smell": "New shades of linen smell of oil for a week; that is the finish, and harmless",
}
ZEN = codecs.decode(
    "Ornhgvshy vf orggre guna htyl.|Rkcyvpvg vf orggre guna vzcyvpvg.|Fvzcyr vf orggre guna pbzcyrk.|"
    "Syng vf orggre guna arfgrq.|Fcnefr vf orggre guna qrafr.|Ernqnovyvgl pbhagf.|"
    "Reebef fubhyq arire cnff fvyragyl.|Abj vf orggre guna arire.",
    "rot13",
).split("|")

_MODULES: tuple[tuple[Any, str], ...] = (
    (bisect, "bisect_left bisect_right insort_right"),
    (calendar, "monthrange leapdays"),
    (collections, "deque Counter OrderedDict"),
    (contextlib, "contextmanager suppress closing ExitStack"),
    (csv, "Sniffer excel"),
    (dt, "datetime timedelta"),
    (difflib, "get_close_matches unified_diff"),
    (fnmatch, "fnmatch filter"),
    (functools, "lru_cache partial reduce wraps singledispatch"),
    (heapq, "heappush heappop merge nlargest"),
    (html, "escape unescape"),
    (inspect, "signature getsource"),
    (io, "StringIO TextIOWrapper"),
    (ipaddress, "ip_network collapse_addresses"),
    (json, "dumps loads"),
    (logging, "getLogger basicConfig"),
    (os.path, "commonpath join expanduser"),
    (queue, "Queue PriorityQueue"),
    (random, "choices shuffle sample"),
    (shutil, "copytree rmtree disk_usage which"),
    (statistics, "median mean stdev quantiles"),
    (tempfile, "mkdtemp NamedTemporaryFile"),
    (textwrap, "dedent shorten indent"),
    (threading, "Lock Event Timer"),
    (urllib.parse, "quote urljoin parse_qs"),
    (zipfile, "is_zipfile ZipFile"),
)
_LONGEST = 420


def python_docs() -> Iterator[tuple[str, str]]:
    """Names and the first lines of what Python says of them itself."""
    for module, names in _MODULES:
        for name in names.split():
            said = inspect.getdoc(getattr(module, name)) or ""
            text = " ".join(said.split())[:_LONGEST].rsplit(". ", 1)[0].strip()
            if text:
                yield f"v1.procedure.python.{module.__name__.replace('posixpath', 'path')}.{name}", text


def chunks(module: Any, most: int) -> list[str]:
    """The paragraphs of a module's documentation."""
    said = (getattr(module, "__about__", "") or module.__doc__ or "").strip()
    paragraphs = [" ".join(part.split()) for part in said.split("\n\n")]
    return [part[:600] for part in paragraphs if len(part) > 40][:most]


# What is opened for what: objectives in several wordings, the atoms in the order in which they are opened.
HABITS: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
    ("payments", ("close the books for May", "close the books for June", "month end closing", "close the accounts of the quarter"),
     ("v1.procedure.close_books", "v1.procedure.bank_file", "v1.decision.ledger.cents", "v1.fact.currency", "v1.entity.ada_lindholm", "v1.preference.ada.reports")),
    ("payments", ("a customer complains and wants the money back", "refund for a broken lamp", "a customer waits for a refund"),
     ("v1.procedure.refund", "v1.constraint.refund_limit", "v1.fact.payment_provider", "v1.fact.refund.average_time", "v1.preference.hana.tone")),
    ("infra", ("deploy the billing service", "release checkout to production", "roll out a new version of pricing"),
     ("v1.fact.deploy.window", "v1.constraint.friday_deploys", "v1.fact.deploy.tool", "v1.decision.feature_flags", "v1.procedure.deploy_rollback")),
    ("infra", ("checkout is down at night", "alert: search is slow", "incident on call tonight"),
     ("v1.procedure.incident_start", "v1.fact.oncall.escalation", "v1.fact.monitoring.tool", "v1.procedure.deploy_rollback", "v1.fact.database.replica")),
    ("legal", ("a customer asks to delete personal data", "answer a request about data protection"),
     ("v1.procedure.delete_customer", "v1.fact.legal.deletion_deadline", "v1.fact.legal.retention", "v1.fact.legal.privacy_officer")),
    ("shop", ("prepare the winter sale", "plan discounts for floor lamps", "banner and newsletter for the sale"),
     ("v1.procedure.winter_sale", "v1.constraint.discount_limit", "v1.event.meeting.winter_sale", "v1.procedure.newsletter", "v1.fact.marketing.budget", "v1.fact.brand.voice")),
    ("people", ("a new colleague starts on Monday", "onboard the apprentice"),
     ("v1.procedure.onboarding", "v1.decision.hiring.pair", "v1.fact.meeting.weekly", "v1.entity.kofi_mensah", "v1.fact.holiday.days")),
    ("research", ("measure the flicker of a lamp", "write the data sheet of the Borealis"),
     ("v1.fact.laboratory.spectrometer", "v1.event.measurement.aurora_flicker", "v1.fact.lamp.borealis.power", "v1.fact.lamp.borealis.dimming", "v1.entity.jonas_bergström")),
    ("python", ("write a script that reads a table", "parse the export of the bank in Python"),
     ("v1.procedure.python.csv.Sniffer", "v1.procedure.python.json.loads", "v1.procedure.python.statistics.median", "v1.procedure.python.contextlib.closing")),
    ("shop", ("order glass and brass for autumn", "a supplier sent broken shades"),
     ("v1.fact.supplier.glass", "v1.procedure.supplier_claim", "v1.entity.lucía_navarro", "v1.fact.packaging.breakage", "v1.decision.supplier.two_sources")),
]  # fmt: skip
