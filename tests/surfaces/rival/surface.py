from __future__ import annotations

from dataclasses import replace

from tests.surfaces.toy.surface import SURFACE as TOY

SURFACE = replace(
    TOY,
    name="rival",
    tools=(replace(TOY.tools[0], wire_name="toy_keep"), replace(TOY.tools[1], wire_name="rival_find")),
    prompts=(),
    resources=(),
)
