"""What a person tells of themselves and their surroundings, in plain statements: *my sister lives in Graz*.

What is told of the work at hand is none of it: *my build is red*, *I have a question*.
"""

from __future__ import annotations

from typing import Final

from substrate.cues.phrases import Phrases
from substrate.cues.prose import is_question, sentences

__all__ = ["own_facts"]

_TELLS: Final = Phrases(
    {
        "fact": (
            "^my/our * is/are/was/has/have/lives/works/starts/wants/likes/needs/called/ends/begins/moved/moves",
            "^my/our * * is/are/was/has/have/lives/works/starts/wants/likes/needs/called/ends/begins/moved/moves",
            "^my/our * * * is/are/was/has/have/lives/works/starts/ends/begins/moved/moves",
            "^my/our * lands/leaves/arrives/closes/opens/eats/drinks/speaks/studies/teaches/plays/owns/drives/retires",
            "^my/our * can't/cannot/doesn't/won't/isn't/does/hates/loves/prefers",
            "^i live/work/study/own/drive/speak/teach/play/commute/volunteer/run/ride/collect/wear/take/eat/drink",
            "^i usually/normally/mostly/generally/never/always/rarely/often/no",
            "^i don't/can't/cannot eat/drink/drive/smoke/like/stand/speak/work/use/fly/have/own",
            "^i do not eat/drink/drive/smoke/like/speak/work/use/fly/own",
            "^i was/am born/raised/allergic/vegetarian/vegan/diabetic/left/married/divorced/retired/based/called/from",
            "^i'm allergic/vegetarian/vegan/diabetic/left/married/divorced/retired/based/called/from/intolerant/a/an",
            "^i am a/an/intolerant/lactose",
            "^i've been/got/had/moved/quit/stopped/started/bought/switched/changed",
            "^i have two/three/four/five/six/several/a/an/no/been",
            "^i quit/gave/moved/switched/bought/sold/changed/started/stopped/joined/left/graduated/retired/married",
            "^i go to",
            "^we have/meet/live/own/moved/switched/bought/sold/use/run/work/host/changed",
            "^we've moved/switched/bought/sold/changed/got",
            "^our/the deadline/budget/contract/lease/release/meeting/office/client/customer/team/codename/landlord",
            "^you can/should/may call/know",
            "name of * * is",
            "name of * is",
            "is/are called",
        ),
        "keep": (
            "just so you know",
            "for your information",
            "you should know",
            "^take note",
            "^note to self",
            "^log this/that/it",
            "^correction :",
            "my choice/preference/decision/rule is",
        ),
        "": (
            "my/our * is/are broken/failing/slow/wrong/red/down/stuck/missing/empty/not/here/below/failed/done",
            "my/our * * is/are broken/failing/slow/wrong/red/down/stuck/missing/empty/not/here/below/failed/done",
            "my/our code/build/test/tests/script/question/problem/error/bug/app/query/function/output/screen/terminal",
            "my/our question/problem/guess/idea/point/bad/hope/god is",
            "my/our first/next/last/second question/problem/issue/attempt",
            "my god",
            "i have a/an/no/another/two question/questions/problem/problems/issue/idea/error/bug/feeling/clue/task",
            "i have a/an/no * question/problem/issue/error/bug/idea",
            "i have to",
            "i'm a bit/little",
            "i'm an idiot",
            "i've got a/an/the question/problem/issue/error/bug",
            "i've got an/a/the * error/bug/problem/question",
            "i've been trying/looking/getting/seeing/having/thinking/wondering/stuck/working",
            "i've had enough",
            "i've changed/started the/a/this/it",
            "i run/take it/this/that/the/a",
            "i run into",
            "i started/changed/left/moved the/it/this/a",
            "i usually get/see",
            "i always get/see/forget",
            "i never know/understood/understand",
            "i often get/see",
            "i don't like it/this/that/the",
            "i don't use/have it/this/that/the/any/time",
            "i can't/cannot use/work/have",
            "we have to/a/an/the/no/some",
            "we use/run it/this/that/the/into",
            "we work it/this/that/around",
            "you can call it/this/the",
            "i go to the/this/that/settings",
            "i started to",
            "i was/am from now",
        ),
    }
)


def own_facts(message: str) -> tuple[str, ...]:
    """The phrases by which a message tells a lasting fact of the person; empty if none does."""
    found: dict[str, None] = {}
    for sentence in sentences(message):
        if is_question(sentence.judged) or len(sentence.judged.split()) < 3:  # noqa: PLR2004
            continue
        found |= dict.fromkeys(cue.phrase for cue in _TELLS.find(sentence.judged))
    return tuple(found)
