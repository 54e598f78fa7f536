"""What is drawn of a proof: every hash worked out, and a false byte seen in each node above it, and only there."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from substrate.errors import ProofInvalid
from substrate.memory import Memory, open_memory
from substrate.proof.bundle import Bundle
from substrate.proof.hashes import EMPTY
from substrate.proof.head import SignedHead
from substrate.proof.verify import Verifier
from substrate_widgets.proof_viewer.change import change, parts
from substrate_widgets.proof_viewer.graph import Node, contradicting, differing, draw
from tests.proof import script
from tests.scale import rounds

verify_proof = script.load()
TEXTS = ["Stripe", "ünïcode ✓ 漢字", '"quoted" \\ and\nlines', "\U0001f600", "x" * 5000]


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    folder = tmp_path_factory.mktemp("proofs")
    memory = open_memory(folder / "store", home=folder / "home")
    for number, text in enumerate(TEXTS):
        memory.checkpoint([{"name": f"v1.fact.n{number}", "value": text}])
    memory.checkpoint([f"v1.fact.more{number} = {number}" for number in range(40)])
    memory.rotate_key()
    memory.checkpoint(["v1.fact.gone = x", "v1.fact.erased = y", "v1.fact.ende\u0301 = z"])
    memory.checkpoint(tombstones=["v1.fact.gone"])
    memory.forget("v1.fact.erased")
    return memory


def bundles(memory: Memory) -> dict[str, Bundle]:

    def absent(*, beside: bool) -> Bundle:
        """Of a name that is not there. The map's salt decides whether another stands in its place: of few, none may."""
        proofs = (memory.prove(f"v1.fact.absent{number}") for number in range(1000))
        return next(one for one in proofs if one.map is not None and (one.map.record is not None) is beside)

    return {
        **{f"current {number}": memory.prove(f"v1.fact.n{number}") for number in range(len(TEXTS))},
        "current ende": memory.prove("v1.fact.ende\u0301"),
        "tombstoned": memory.prove("v1.fact.gone"),
        "forgotten": memory.prove("v1.fact.erased"),
        "absent, another there": absent(beside=True),
        "absent, nothing there": absent(beside=False),
        **{f"recorded {seq}": memory.prove_entry(seq) for seq in (0, 1, 2, memory.head().head.size - 1)},
    }


def above(nodes: dict[str, Node], part: str) -> set[str]:
    """The part and all that is worked out from it, by following the lines."""
    reached = {part}
    for identity, node in nodes.items():  # each after those that it is worked out from
        if reached & set(node.inputs):
            reached.add(identity)
    return reached


def test_an_honest_proof_is_worked_out_up_to_what_was_signed(memory: Memory) -> None:
    for bundle in bundles(memory).values():
        nodes = draw(bundle, memory.key())
        head = SignedHead.parse(bundle.head).head
        if bundle.entry is not None:
            log = [node for identity, node in nodes.items() if identity == "leaf" or identity.startswith("log.")]
            assert set(log[-1].values) == {head.root}
        if bundle.map is not None:
            assert set(nodes["map_root"].values) == {head.map_root}
        assert set(nodes["signed"].values) == {b"\x01"}
        assert differing(nodes, draw(bundle, memory.key())) == []
        seen: set[str] = set()
        for identity, node in nodes.items():
            assert set(node.inputs) <= seen, "what a node is worked out from comes before it"
            assert bool(node.formula) or not node.inputs
            seen.add(identity)


def test_for_every_part_the_verifiers_reject_and_just_the_nodes_above_it_differ(memory: Memory) -> None:
    key = memory.key()
    for name, bundle in bundles(memory).items():
        honest = draw(bundle, key)
        assert set(parts(bundle)) <= set(honest), name
        for part in parts(bundle):
            changed = change(bundle, part, key)
            text = changed.bundle.to_json()
            assert _differing_bytes(bundle, changed.bundle) == 1, (name, part)
            with pytest.raises(ProofInvalid):
                Verifier(key=key).verify(text)
            red = differing(honest, draw(changed.bundle, key))
            assert set(red) == above(honest, part), (name, part)
            assert red[0] == part
            assert red[-1] == "signed"
            assert change(changed.bundle, part, key).bundle == bundle, "the same bit again restores it"


@settings(max_examples=rounds(12, 500))
@given(st.data())
def test_the_script_rejects_what_the_verifier_rejects(memory: Memory, data: st.DataObject) -> None:
    bundle = data.draw(st.sampled_from(list(bundles(memory).values())))
    text = change(bundle, data.draw(st.sampled_from(parts(bundle))), memory.key()).bundle.to_json()
    with pytest.raises(verify_proof.Rejected):
        verify_proof.verify(text, key=str(memory.key()))


def test_a_drawing_that_carried_only_what_is_stated_would_miss_a_changed_body(memory: Memory) -> None:
    """The broken twin: without the second value, the root stays as signed although the body is false."""
    bundle = memory.prove("v1.fact.n0")
    honest, now = (draw(each, memory.key()) for each in (bundle, change(bundle, "body", memory.key()).bundle))
    assert honest["leaf"].value == now["leaf"].value
    assert honest["leaf"].values != now["leaf"].values


def test_empty_siblings_are_told_apart_from_others(memory: Memory) -> None:
    nodes = draw(memory.prove("v1.fact.more7"), memory.key())
    siblings = [node for identity, node in nodes.items() if identity.startswith("map_path.")]
    assert {node.place for node in siblings} <= {"left", "right"}
    assert all(len(node.value) == len(EMPTY) for node in siblings)


def test_without_a_true_proof_beside_it_a_false_one_still_contradicts_itself(memory: Memory) -> None:
    """What is found is above the false byte; of head and signature, also what they are held against."""
    key = memory.key()
    for name, bundle in bundles(memory).items():
        for part in parts(bundle):
            false = change(bundle, part, key).bundle
            nodes = draw(false, key)
            found = set(contradicting(false, nodes))
            assert "signed" in found, (name, part)
            beside = {*nodes["head"].inputs, "signature"} if part in {"head", "signature"} else set()
            assert found <= above(nodes, part) | beside, (name, part)
            assert all(found & above(nodes, each) - {each} for each in found - {"signed"}), (name, part)


def test_a_rejected_bundle_is_never_without_a_contradiction(memory: Memory) -> None:
    """One in which every hash is right, and the claim is not: the name is there, and said to be absent."""
    true = memory.prove("v1.fact.n0")
    false = replace(true, claim="absent", entry=None, opening=None)
    with pytest.raises(ProofInvalid, match="not_absent"):
        Verifier(key=memory.key()).verify(false.to_json())
    assert contradicting(false, draw(false, memory.key())) == ["signed"]


def _differing_bytes(one: Bundle, other: Bundle) -> int:
    """How many bytes of all that two bundles bring are not the same."""

    def brought(bundle: Bundle) -> list[bytes]:
        members = json.loads(bundle.to_json())
        entry, mapped = bundle.entry, bundle.map
        signed = SignedHead.parse(bundle.head)
        found = [signed.head.root, signed.head.map_root, *(s.signature for s in signed.note.signatures)]
        found += [members.get("name", "").encode(), members["claim"].encode()]
        if entry is not None and bundle.opening is not None:
            found += [entry.data, *entry.path, bundle.opening.salt, bundle.opening.body]
        if mapped is not None:
            found += [mapped.salt, mapped.record or b"", *mapped.path]
        return found

    pairs = zip(brought(one), brought(other), strict=True)
    return sum(a != b for left, right in pairs for a, b in zip(left, right, strict=True))
