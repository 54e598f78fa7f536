"""Names in scripts without capitals: people and companies beside a word that says so, some places. For `extract`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from substrate.text.signs import Sign, has_caseless

__all__ = ["find_caseless"]

_HAN: Final = "\u3005\u4e00-\u9fff"
_KATAKANA: Final = "\u30a1-\u30fa\u30fc"
_HANGUL: Final = "\uac00-\ud7a3"
_NO_PERSON: Final = frozenset({"皆", "客", "奥", "母", "父", "娘", "息子", "兄", "姉", "神", "お客", "看護師"})


def find_caseless(text: str) -> Iterator[Sign]:
    """People with a form of address behind them, foreign names with a middle dot, and some places."""
    if not has_caseless(text):  # each of them begins with such a character
        return
    for match in _person().finditer(text):
        kind = match.lastgroup or ""
        if match[kind] not in _NO_PERSON:
            yield Sign(match.start(kind), match.end(kind), match[kind], "name")


@cache
def _person() -> re.Pattern[str]:
    """Compiled when it is first needed: it takes as long as some dozen chunks."""
    return re.compile(
        rf"(?<![{_HAN}])(?P<japanese>[{_HAN}]{{1,4}}|[{_KATAKANA}\u30fb]{{2,12}})(?=さん|氏|ちゃん)"
        rf"|(?P<foreign>[{_KATAKANA}]{{2,12}}(?:\u30fb[{_KATAKANA}]{{2,12}}){{1,4}})"
        rf"|(?<![{_HAN}])(?P<place>[{_HAN}]{{2,6}}(?:大学|銀行|新聞|[市県駅]))(?=[\u3041-\u309f、。])"
        rf"|(?P<chinese>[王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯董程曹袁邓许沈曾彭吕苏卢蒋蔡丁魏薛叶潘杜戴]"
        rf"[{_HAN}]{{1,2}})(?=先生|女士|教授|老师|经理)"
        r"|(?<!\w)(?:شركة|مدينة|جامعة|الدكتور|الدكتورة|السيد|السيدة|חברת|אוניברסיטת|גברת|श्री|श्रीमती|डॉ\.?)"
        r" (?P<behind>\w{2,30})"
        rf"|(?<![{_HANGUL}])(?P<korean>[{_HANGUL}]{{2,4}}) ?(?=씨(?:[는가를의와도은이에]|[^{_HANGUL}]|\Z))"
    )
