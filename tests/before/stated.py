"""What the store of before says of how things are joined, and of what took the place of what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.before.texts import SERVICES

_PAST = {"valid_from": "2024-01-01", "valid_to": "2024-12-31"}


def edge(source: str, kind: str, target: str, **said: object) -> Mapping[str, object]:
    """An edge, as a checkpoint takes it."""
    return {"source": f"v1.{source}", "type": kind, "target": f"v1.{target}", **said}


MEMBERS = {
    "shop": ("brand", "lamp", "marketing", "packaging", "customers", "free_delivery_from", "return_period"),
    "payments": ("payment_provider", "currency", "vat_rate", "refund", "fraud", "billing", "ledger"),
    "infra": ("database", "cache", "queue", "monitoring", "deploy", "oncall", "sla", "tls", "search", "identity"),
    "people": ("office", "meeting", "holiday", "support"),
    "legal": ("legal",),
}
"""Of a domain: how the names of its facts begin."""
JOINED = [
    *(
        edge(f"entity.{said[0].lower().replace(' ', '_')}", "Works on", f"fact.{name}.purpose")
        for name, said in SERVICES.items()
    ),
    *(edge(f"chunk.zen.{at}", "references", f"chunk.zen.{at + 1}", attrs={"at": at}) for at in range(7)),
    edge("constraint.refund_limit", "constrains", "procedure.refund"),
    edge("constraint.friday_deploys", "constrains", "procedure.deploy_rollback"),
    edge("constraint.discount_limit", "constrains", "procedure.winter_sale"),
    edge("constraint.personal_data_in_logs", "constrains", "procedure.delete_customer"),
    edge("constraint.lithium", "constrains", "procedure.supplier_claim"),
    edge("event.incident.checkout_down", "references", "fact.database.engine", confidence=0.8),
    edge("event.incident.slow_search", "references", "fact.search.purpose", confidence=0.8),
    edge("event.visit.murano", "references", "fact.supplier.glass", confidence=0.9),
    edge("event.audit.payments", "references", "fact.payment_provider", cited="report of the auditor"),
    edge("event.release.mobile_checkout", "references", "fact.checkout.purpose"),
    edge("event.measurement.aurora_flicker", "references", "fact.lamp.aurora.power"),
    edge("event.incident.double_invoice", "references", "fact.billing.purpose"),
    edge("event.incident.double_invoice", "references", "fact.queue.engine"),
    edge("task.fix_retry", "references", "event.incident.double_invoice"),
]
MEMBERSHIPS = [
    edge("hub.checkout_team", "member_of", "domain.shop"),
    edge("hub.night_shift", "member_of", "domain.infra"),
    edge("hub.suppliers", "member_of", "domain.shop", **_PAST),
    edge("hub.winter_sale", "member_of", "domain.shop", valid_from="2025-11-01"),
    edge("entity.chioma_eze", "member_of", "hub.checkout_team"),
    edge("fact.checkout.owner", "member_of", "hub.checkout_team"),
    edge("event.release.mobile_checkout", "member_of", "hub.checkout_team", **_PAST),
    edge("procedure.incident_start", "member_of", "hub.night_shift"),
    edge("fact.oncall.phone", "member_of", "hub.night_shift"),
    edge("fact.supplier.glass", "member_of", "hub.suppliers"),
    edge("fact.supplier.brass", "member_of", "hub.suppliers"),
    edge("entity.lucía_navarro", "member_of", "hub.suppliers"),
    edge("procedure.winter_sale", "member_of", "hub.winter_sale"),
    edge("fact.fraud.rate", "member_of", "domain.archive", **_PAST),
    edge("fact.fraud.rule", "member_of", "domain.archive", valid_from="2024-06-01"),
    edge("note.idea.rental", "member_of", "hub.goals"),
    edge("procedure.close_books", "member_of", "domain.payments"),
    edge("procedure.bank_file", "member_of", "domain.payments"),
    edge("procedure.refund", "member_of", "domain.payments"),
    edge("constraint.refund_limit", "member_of", "domain.payments"),
    edge("goal.conversion", "member_of", "domain.shop"),
    edge("goal.denmark", "member_of", "domain.shop", **_PAST),
    edge("constraint.friday_deploys", "member_of", "domain.infra"),
    edge("preference.esra.alerts", "member_of", "hub.night_shift"),
]
LEFT = edge("fact.oncall.phone", "member_of", "domain.infra")
"""Taken back."""
SUCCESSORS = [
    "v1.decision.photos.video = Of each lamp there is a short film as well, switched on slowly",
    "v1.decision.photos.three = Photos are taken three times: on, off, and dimmed to a tenth",
    "v1.fact.deploy.tool_next = Releases are rolled out by Flux from the release branch",
    "v1.fact.newsletter.day = The newsletter goes out on Wednesdays at noon",
    "v1.fact.lamp.draco.bulb_2024 = For the summer of 2024 the Draco came with an E27 thread",
    "v1.fact.queue.next = Orders will travel through Kafka",
    "v1.preference.tabs_new = Tabs everywhere, so that everybody sees the width they like",
    "v1.procedure.refund.fast = Refunds below 100 EUR are paid at once, by a rule and not by a person",
]
_SUMMER = {"start": "2024-06-01T00:00:00Z", "end": "2024-09-01T00:00:00Z"}
_AUTUMN = {"start": "2025-09-01T00:00:00Z", "end": "2025-12-01T00:00:00Z"}
SUCCESSIONS = [
    edge("decision.photos.three", "supersedes", "decision.photos.light"),
    edge("decision.photos.video", "supersedes", "decision.photos.three"),
    edge("fact.deploy.tool_next", "supersedes", "fact.deploy.tool", valid_from="2026-02-01"),
    edge("fact.newsletter.day", "supersedes", "fact.marketing.newsletter_day", valid_from="2024-06-01"),
    edge("fact.lamp.draco.bulb_2024", "supersedes", "fact.lamp.draco.bulb", windows=[_SUMMER]),
    edge("note.idea.workshop", "supersedes", "note.idea.subscription", windows=[_SUMMER, _AUTUMN]),
    edge("fact.queue.next", "supersedes", "fact.queue.engine"),
    edge("preference.tabs_new", "supersedes", "preference.tabs"),
    edge("procedure.refund.fast", "references", "procedure.refund"),
]
WITHDRAWN = edge("fact.queue.next", "supersedes", "fact.queue.engine")
LEANINGS = [
    edge("procedure.close_books", "depends_on", "procedure.bank_file"),
    edge("procedure.bank_file", "depends_on", "fact.payment_provider"),
    edge("procedure.refund", "depends_on", "fact.payment_provider", confidence=0.7),
    edge("goal.page_speed", "depends_on", "fact.search.timeout"),
    edge("procedure.photo_session", "derived_from", "decision.photos.three"),
    edge("procedure.stocktaking", "depends_on", "fact.printer.location"),
    edge("procedure.delete_customer", "derived_from", "fact.legal.retention"),
    edge("task.measure_eridanus", "depends_on", "procedure.spectrometer_setup"),
    edge("procedure.newsletter", "depends_on", "decision.newsletter.consent", cited="audit of 2024"),
]
DISPUTED = [
    "v1.decision.payments = The payment provider is Adyen",
    "v1.note.office_city = Lübeck",
    "v1.decision.currency = The currency is CHF",
    "v1.note.sla = The SLA target is 99.5%",
    "v1.note.stock_port = 8200",
    "v1.note.free_delivery = Free delivery from 80 EUR",
    "v1.note.delivery_owner = Farid Haddad",
    "v1.note.returns = The return period is 14 days",
    "v1.note.warehouse = The warehouse city is Halle",
]
CHANGED = [
    ["v1.fact.sla.target = 99.95%", "v1.fact.marketing.budget = 28,000 EUR a month", "v1.fact.stock.port = 8191"],
    ["v1.fact.office.city = Altona", "v1.fact.checkout.owner = Kofi Mensah", "v1.fact.search.timeout = 600 ms"],
    ["v1.fact.marketing.budget = 31,000 EUR a month", "v1.fact.sla.target = 99.9%"],
    ["v1.fact.office.city = Hamburg", "v1.fact.checkout.owner = Chioma Eze"],
]
LIMITED = [
    {"name": "v1.fact.vat_rate.reduced", "value": "7% on books about lamps", "valid_to": "2024-06-30"},
    {"name": "v1.state.shop", "value": "open", "valid_from": "2024-01-01", "origin": "user"},
    {"name": "v1.state.rotterdam", "value": "The hall is being fitted out", "valid_from": "2026-01-15"},
    {"name": "v1.constraint.furnace", "value": "No glass is ordered in August", "valid_to": "2024-09-01"},
]
LAST: list[Any] = [
    {"name": "v1.decision.repair_price", "value": "A repair costs 25 EUR, whatever is broken", "origin": "user"},
    {
        "name": "v1.chunk.zen.8",
        "value": "Although never is often better than right now.",
        "position": 8,
        "parent": "v1.document.zen",
    },
    "v1.note.cafe\u0301 = Le café a payé; la facture était en retard d'une semaine",
    "v1.salary.note = A type of its own, and nothing about salaries",
    "v1.fact.legal.retention = Invoices are kept for eight years, letters for six",
]
