"""By which verbs and nouns each type of relation is said. Data alone; `phrases.py` reads it.

A line of `VERBS`: the types it is for, between bars, each as a verb and perhaps a preposition; then, behind the slash
and between commas, what says the same. A line that begins with spaces goes on. A line of `NOUNS`: the types; then
`noun preposition`, several prepositions between bars. Signs before an item:

    ~   says more than the type: to deny it does not deny the relation (`A does not chair B`)
    <   said from the other end (`B belongs to A`)
    be  holds only behind a form of *be*, in exactly this form (`A is based on B`)
    *   where the object stands of a verb whose preposition is meant (`push * to`)
    ^   said by a third one: `we replaced B with A` (`^replace * with`)

What is here must be true of whatever two things the sentence names. A verb with another common sense stays out.
"""

from __future__ import annotations

from typing import Final

__all__ = ["IRREGULAR", "MUTUAL", "NOUNS", "PEOPLE", "PLACES", "SYMMETRIC", "VERBS"]

VERBS: Final = """
use / utilize, utilise, employ, leverage, adopt, make use of, rely on, ~be powered by, ~be built on top of, ~be
    built with, ~be based on, ~be written on top of, ~be layered on top of, ~sit on top of, ~switch to, ~migrate to,
    ~standardise on, ~standardize on, ~wrap, ~<power, ~<underpin
depend on|rely on / rely on, depend on, depend upon, rely upon, need, require, hinge on, be dependent on, be
    dependent upon, be reliant on, be contingent on, ~be built on top of, ~rest on, ~be powered by, ~<underpin, <be
    a prerequisite for, <be a prerequisite of, <be essential to, <be essential for, <be indispensable to, <be
    indispensable for, <be vital to
require|need / need, require, depend on, rely on, ~<be a prerequisite for, ~<be a prerequisite of, <be essential to,
    <be essential for, <be indispensable to
work for / work at, be employed by, be employed at, ~work as * at, ~work as * for, ~serve as * at, ~be on the staff
    of, ~be on the payroll of, ~teach at, ~lecture at, ~<employ
employ / hire, <work for, <work at, <be employed by, <be employed at, ~<be on the payroll of
located in|situated in|based in|lie in / located in, situated in, lie in, based in, found in, be headquartered in, be
    nestled in, be housed in, ~be in the middle of, ~be in the heart of, ~be in the centre of, ~be in the center of,
    ~be at the heart of, ~stand in, ~<be home to
headquartered in / be based in
part of / belong to, component of, included in, contained in, form part of, be bundled with, ~be integral to, ~ship
    as part of, ~fall under, ~fall within, ~make up, ~<comprise, ~<consist of, ~<be made up of, ~<be composed of,
    ~<encompass, ~<incorporate, ~<include, ~<be divided into, ~<be subdivided into, ~<be split into
member of / belong to, part of, ~be on the board of, ~sit on the board of, ~<comprise, ~<consist of, ~<be made up of
own|possess / possess, own, ~be in possession of, <belong to, <be in the hands of, <be in the possession of
create / build, develop, invent, design, make, ~write, ~co-author, ~founded, ~co-found, ~co-create, ~establish,
    ~compose, ~devise, ~conceive, ~sculpt, ~pioneer, ~originate, ~come up with, ~bring into being
build|develop|make|design|invent / create, build, develop, make, ~invent, ~design, ~devise
found|founded|establish / establish, founded, co-found, ~set up, ~create
cause / lead to, result in, trigger, bring about, give rise to, set off, spark, provoke, induce, precipitate, bring
    on, touch off, be to blame for, <stem from, <result from, <arise from, <be due to, <be down to, <be attributable
    to, <be caused by, <be traced to, <be traced back to, <be a result of, ~<flow from
trigger / set off, spark, provoke, <be triggered by
manage / lead, head, supervise, oversee, be in charge of, be at the helm of, ~administer, ~preside over, ~<report
    to, <be under the management of
lead|head / head, lead, ~chair, ~co-lead, ~captain, ~preside over, ~spearhead, ~helm, ~be in charge of, be at the
    helm of, be at the head of, be in command of, ~take the helm of, <be under the leadership of, <be under the
    direction of, <be under the command of
report to / answer to, ~be accountable to, ~<supervise, ~<line-manage
replace / supersede, succeed, supplant, displace, take over from, take the place of, be a replacement for, <give way
    to, <make way for, <be replaced with, <be swapped for, <be swapped out for, ~<be phased out in favour of, ~<be
    phased out in favor of, ~<be dropped in favour of, ~<be dropped in favor of, ~<be deprecated in favour of, ~<be
    deprecated in favor of, ~<be retired in favour of, ~<be retired in favor of, ~<be abandoned in favour of, ~<be
    abandoned in favor of, ^replace * with, ^replace * by, ^swap * for, ^swap out * for, ^exchange * for, ^drop * in
    favour of, ^drop * in favor of, ^retire * in favour of, ^retire * in favor of, ^migrate from * to, ^switch from
    * to
supersede|succeed / replace, supplant, take over from, take the place of, <give way to, ~<be deprecated in favour
    of, ~<be deprecated in favor of
store / keep, hold, persist, ~house, ~cache, ~warehouse, ~stockpile, <be kept in, <be stored in, <be stored on, <be
    archived in, <be archived on, <be held in, <be saved in, <be saved to, <be persisted in, <be persisted to, <be
    housed in, <reside in
contain / include, comprise, consist of, be made up of, be composed of, ~house, ~incorporate, ~encompass, ~embed,
    ~be divided into, ~be split into, <be part of, <be contained in, <be included in, <be found in, <be bundled
    with, <be embedded in, ~<be housed in, ~<form part of, ~<make up, <reside in
include|comprise / contain, comprise, include, consist of, be made up of, be composed of, ~incorporate, ~encompass,
    <be part of, <be included in, <be bundled with, <form part of, ~<make up
live in|reside in / reside in, live in, ~dwell in, ~inhabit, be resident in, ~<be home to
born in / born in, be a native of, ~come into the world in, ~first see the light of day in
implement / conform to, comply with, provide an implementation of, offer an implementation of, ~realise, ~realize
call|invoke / invoke, call, call into, call out to, make a call to, make calls to, ~hit, ~query, ~ping, <be called
    by, <be called from, <be invoked from
maintain / look after, take care of, ~curate, ~steward, <be in the care of
write|author / author, write, co-author, co-write, pen, ~compose
run on / run in, deployed on, hosted on, be deployed to, be deployed in, be hosted by, be hosted at, be hosted in,
    be installed on, ~execute on, ~run inside, ~run under, ~run on top of
deployed on|deployed to|deployed in|hosted on|hosted by / deployed on, deployed to, deployed in, hosted on, run on,
    be deployed in, be deployed to, be deployed on, be hosted on, be hosted by, be hosted at, be hosted in, be
    installed on
host / be home to, ~play host to, ~house, <be hosted on, <be hosted by, <be hosted at, <be hosted in, <be held at
connect to|connected to|linked to|connect with / link to, be connected to, be linked to, be attached to, be wired
    to, be joined to, be hooked up to, connect with, hook up to, plug into, ~talk to, ~communicate with, ~interface
    with
collaborate with|cooperate with|work with / work with, collaborate with, cooperate with, ~team up with, ~partner
    with, ~join forces with, ~work together with, ~work alongside, ~work closely with
married to|spouse of / married to, wed to, ~marry, ~tie the knot with
integrate with / work with, ~hook into, ~plug into, be integrated with, be integrated into
deploy / ship, ~roll out
start / launch, ~kick off
acquire|buy|purchase / buy, purchase, acquire, take over, snap up, swallow up, buy up, ~buy out, ~gobble up, <be
    sold to, <be acquired by
precede|predate / come before, predate, antedate, be followed by, be succeeded by, <come
    after
follow / come after, succeed, <precede, ~<come before
extend|inherit from|subclass / inherit from, extend, be derived from, derive from
derived from|derive from / derive from, be derived from, be based on, be adapted from, be descended from, descend
    from, stem from, originate from, be forked from, ~grow out of, ~evolve from, ~spring from
fork of|forked from / forked from, be forked from, fork
based on / be based on, be built on, build on, ~be adapted from, ~be derived from
support / back, endorse, stand by, stand behind, champion, side with, rally behind, advocate, be in favour of, be in
    favor of, ~speak in favour of, ~speak in favor of, ~come out in favour of, ~come out in favor of, ~speak out
    for, ~vote for, ~campaign for, ~throw its weight behind, ~throw their weight behind, offer support for, provide
    support for, ~add support for, ~gain support for, come with support for, <enjoy the support of, ~<enjoy the
    backing of, ~<win the backing of
write to / write * to, write * into, write into, append to, append * to, push to, push * to, push * into, insert *
    into, save * to, save * in, dump * to, dump * into, log to, log * to, publish to, publish * to, store * in,
    upload * to, export to, export * to, load * into, flush * to, stream to, stream * to, stream * into, emit * to,
    forward * to, send * to, ship * to, persist * to, persist * in, record * in, deposit * in, ~populate, ~feed
    into, ~<receive * from, ~<be fed by
read from / read * from, pull from, pull * from, fetch from, fetch * from, load * from, retrieve * from, query,
    poll, consume from, consume * from, draw * from, ingest * from, stream * from, be fed from, be fed by, be
    populated from, be populated by, ~subscribe to, ~<feed, ~<feed into, ~<populate
send to|publish to / send * to, forward * to, forward to, deliver * to, deliver to, push * to, push to, post * to,
    post to, publish * to, transmit * to, transmit to, ship * to, stream * to, emit * to, ~<receive * from
test / exercise, ~trial
contradict|conflict with / conflict with, contradict, run counter to, run directly counter to, be at odds with, be
    inconsistent with, be incompatible with, be contrary to, be in conflict with, be in contradiction to, be in
    contradiction with, stand in contradiction to, clash with, ~refute, ~disprove, ~belie, ~rebut, ~fly in the face
    of
provide|supply|offer / offer, supply, provide, ~deliver, ~expose, ~furnish
produce / manufacture, generate, turn out, ~churn out, ~emit, ~yield
publish / bring out, put out
fund|finance / finance, bankroll, sponsor, pay for, underwrite, subsidise, subsidize, fund
monitor / watch, track, keep an eye on, keep tabs on, keep watch on, keep watch over, watch over, ~keep track of
study at|studied at / attend, be a student at, be enrolled at, be enrolled in, be studying at, ~graduate from
teach / tutor, instruct, give lessons to, ~coach, ~<study under, ~<be taught by
teach at / lecture at, be a professor at, be a lecturer at
win / clinch, scoop, take home, carry off, be awarded, ~walk away with, <be awarded to, <be won by
compete with|competes with / rival, vie with, compete against, be in competition with, be up against
cache / memoize, keep a cache of, hold a cache of, <be cached in, <be cached by
authenticate / verify the identity of, check the identity of
block / obstruct, prevent, hold up, stand in the way of, ~impede, ~hinder, <be blocked on, ~<be stuck behind, ~<be
    waiting for
reference|cite|mention / refer to, cite, mention, reference, point to, ~link to, ~quote
translate / ~render, ~put into english
named after / named after, be named for, ~take its name from, ~be called after
flow into|drain into / empty into, drain into, flow into, ~discharge into
border|borders / adjoin, abut, share a border with, ~lie next to
attend / be present at, take part in
inspire|influence / influence, inspire, <be inspired by, <be influenced by
oppose / fight, object to, be opposed to, be against, ~vote against, ~speak out against, ~campaign against
"""

NOUNS: Final = """
create|build|develop|invent|design|make / author of, co-author of, creator of, co-creator of, inventor of,
    co-inventor of, designer of, developer of, architect of, originator of, founder of, co-founder of, composer of,
    brains behind, mastermind behind, <creation of, <brainchild of, <invention of, <work of, <novel by, <book by,
    <album by, <song by, <painting by, <sculpture by, <film by, <play by, <opera by, <poem by, <essay by, <symphony
    by, <library by, <package by, <tool by, <game by, <program by, <framework by, <composition by, <project by
write|author / author of, co-author of, writer of, <novel by, <book by, <essay by, <poem by, <play by
found|founded|establish / founder of, co-founder of, founders of
lead|head / head of, leader of, co-leader of, director of, chair of, chairman of, chairwoman of, chairperson of,
    chief of, president of, ceo of, chief executive of, chief executive officer of, captain of, boss of, manager of,
    principal of, rector of, commander of, governor of, mayor of, premier of, prime minister of, king of, queen of,
    headmaster of, headmistress of, superintendent of, coach of, skipper of, coordinator of, convener of, team lead
    of, tech lead of, lead of
manage / manager of, head of, director of, boss of, supervisor of, administrator of, coach of, team lead of
report to / subordinate of, direct report of, <boss of, <line manager of, <supervisor of, <manager of
own|possess / owner of, co-owner of, proprietor of, parent company of, <property of, <possession of, <subsidiary of
acquire|buy|purchase / buyer of, acquirer of, purchaser of
maintain / maintainer of, co-maintainer of, caretaker of, custodian of, steward of, keeper of
use / user of, wrapper around|for|over, front end to|for, frontend to|for
depend on|rely on|require|need / dependent of, <dependency of, <prerequisite of|for|to
part of / component of|in, module of|in, submodule of|in, subpackage of|in, division of, subsidiary of, unit of|in,
    branch of, department of|in, section of|in, element of|in, constituent of, ingredient of|in, arm of, wing of,
    subsystem of|in, subset of, chapter of|in, part of, portion of, district of|in, borough of|in, suburb of,
    province of|in, building block of, track on
contain|include|comprise|has part / <component of|in, <constituent of|in, <ingredient of|in, <module of|in, <part
    of, <element of|in, <chapter of|in, <section of|in, <building block of, <subpackage of|in, <subsystem of|in
member of / member of
located in|situated in|based in|lie in / suburb of, district of, borough of, neighbourhood of|in, neighborhood
    of|in, quarter of|in, capital of, capital city of
capital of / capital of, capital city of
work for / employee of|at, staffer at, staff member at|of, <employer of
implement / implementation of, implementor of, implementer of
cause / cause of, root cause of, main cause of, trigger for|of, reason for, culprit behind, <result of, <consequence
    of, <outcome of, <by-product of, <byproduct of, <side effect of, <symptom of
replace|supersede|succeed / successor of|to, replacement of|for, drop-in replacement of|for, <predecessor of|to
precede|predate / predecessor of|to, forerunner of|to, precursor of|to, prequel to|of, <successor of|to, <sequel
    to|of
extend|inherit from|subclass / subclass of, subtype of, extension of|to|for, plugin for|to, plug-in for|to, add-on
    for|to, addon for|to, specialisation of, specialization of, superset of, <superclass of|for
derived from|derive from|based on / fork of, derivative of, offshoot of, adaptation of, descendant of, spin-off of,
    spinoff of|from
fork of|forked from / fork of, friendly fork of
support / supporter of, backer of, advocate of|for, proponent of, champion of
married to|spouse of / wife of, husband of, spouse of
child of|son of|daughter of / child of, son of, daughter of, <father of, <mother of, <parent of
parent of|father of|mother of / parent of, father of, mother of, <child of, <son of, <daughter of
sibling of / brother of, sister of, sibling of, twin of
born in / native of, <birthplace of
live in|reside in / resident of, inhabitant of, <home of
study at|studied at / student at|of, undergraduate at, graduate of
teach / teacher of, tutor of|to, instructor of, <student of, <pupil of
teach at / professor at, lecturer at, teacher at
win / winner of, recipient of
compete with|competes with / competitor of|to, rival of|to
store / store for|of, repository for|of, archive for|of
cache / cache for|of
test / test suite for
monitor / monitor for, watchdog for|of
produce / producer of, maker of, manufacturer of, <product of, <output of
publish / publisher of
fund|finance / funder of, sponsor of
host / host of|to, venue of|for, <guest of
provide|supply|offer / provider of, supplier of
contradict|conflict with / contradiction of|to, refutation of
block / blocker for|of
translate / translator of
border|borders / neighbour of, neighbor of
schedule / scheduler of|for
authenticate / authenticator of|for
"""

MUTUAL: Final = """
married to|spouse of / marry, tie the knot, exchange vows, be married, be wed, be husband and wife
contradict|conflict with / contradict each other, contradict one another, conflict, conflict with each other, clash,
    be incompatible, be mutually exclusive, be at odds, be in conflict, disagree, cannot both stand, cannot both be
    true, cannot both hold, cannot both be right
compete with|competes with / compete, compete with each other, be competitors, be rivals, vie
collaborate with|cooperate with|work with / collaborate, cooperate, work together, team up, join forces
connect to|connected to|linked to / be connected, be linked, be joined
related to|related / be related, be linked, be connected
sibling of / be siblings, be brothers, be sisters, be twins
interact with / interact
border|borders / share a border
"""
"""What is said of two together, `A and B VERB`, of a relation that holds from both ends."""

SYMMETRIC: Final = (
    "related_to related associated_with married_to same_as similar_to compared_with collaborated_with competes_with "
    "collaborates_with connected_to linked_to works_with adjacent_to sibling_of friend_of equivalent_to contradicts "
    "conflicts_with interacts_with spouse_of borders"
)
PEOPLE: Final = (
    "professor lecturer nurse chef cook clerk colleague fellow intern executive spokesman spokeswoman spokesperson "
    "director manager doctor attorney journalist postdoc technician employee mechanic dean librarian"
)
"""What somebody is called who works at a place, beside the endings that tell it."""
PLACES: Final = (
    "lagoon lake river stream creek village town city hamlet municipality suburb district borough neighbourhood "
    "neighborhood quarter county province region state settlement commune parish port harbour harbor castle church "
    "cathedral abbey monastery mosque temple chapel museum gallery theatre theater library university college school "
    "hospital clinic factory plant mill mine quarry farm vineyard winery estate park garden forest wood valley "
    "mountain peak hill volcano glacier island peninsula bay beach cape desert plain plateau cave canyon waterfall "
    "dam reservoir bridge tunnel station airport stadium arena hotel pub restaurant cafe bar bakery brewery "
    "shop warehouse depot prison fort fortress palace villa manor tower square street road avenue canal marsh "
    "swamp wetland fjord spa resort ranch observatory zoo cemetery ski-resort seaport metropolis capital building"
)
"""What lies somewhere."""
IRREGULAR: Final = {
    "write": "wrote written",
    "run": "ran",
    "lead": "led",
    "build": "built",
    "make": "made",
    "hold": "held",
    "keep": "kept",
    "send": "sent",
    "buy": "bought",
    "sell": "sold",
    "teach": "taught",
    "speak": "spoke spoken",
    "give": "gave given",
    "take": "took taken",
    "draw": "drew drawn",
    "choose": "chose chosen",
    "win": "won",
    "beat": "beaten",
    "drive": "drove driven",
    "grow": "grew grown",
    "know": "knew known",
    "see": "saw seen",
    "find": "found",
    "begin": "began begun",
    "belong": "belonged",
    "lie": "lies lay lain",
    "eat": "ate eaten",
    "feed": "fed",
    "meet": "met",
    "bring": "brought",
    "think": "thought",
    "sing": "sang sung",
    "split": "splits",
    "come": "came",
    "go": "went gone",
    "stand": "stood",
    "pay": "paid",
    "oversee": "oversaw overseen",
    "arise": "arose arisen",
    "swallow": "swallowed",
    "tie": "tied tying",
    "fly": "flew flown",
    "spring": "sprang sprung",
    "fall": "fell fallen",
    "fight": "fought",
    "throw": "threw thrown",
    "withdraw": "withdrew withdrawn",
    "underlie": "underlay underlain",
}
