"""Row 17: the verifier agrees with a second one, written straight from the RFC, on honest and on hostile paths."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache, reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymerkle import InmemoryTree

from substrate.errors import ProofInvalid
from substrate.proof.paths import Span, consistency_spans, inclusion_spans
from substrate.proof.verify import verify_consistency, verify_inclusion
from tests.proof import script
from tests.proof.reference import Log, consistency_holds, inclusion_holds, leaf_hash, node_hash, sha

LARGEST = 300
LEAVES = [leaf_hash(number.to_bytes(4, "big")) for number in range(LARGEST)]
LOG = Log(LEAVES)
SCRIPT = script.load()
Inclusion = tuple[bytes, int, int, list[bytes], bytes]
Consistency = tuple[int, int, list[bytes], bytes, bytes]


def includes(*proof: object) -> bool:
    return accepts(verify_inclusion, *proof)


def extends(*proof: object) -> bool:
    return accepts(verify_consistency, *proof)


def accepts(verify: Callable[..., None], *proof: object) -> bool:
    """The verdict."""
    try:
        verify(*proof)
    except ProofInvalid:
        return False
    return True


@cache
def inclusions() -> list[Inclusion]:
    """The honest proofs of all leaves in all sizes."""
    return [
        (LEAVES[index], index, size, LOG.inclusion(index, size), LOG.root(size))
        for size in range(LARGEST + 1)
        for index in range(size)
    ]


@cache
def consistencies() -> list[Consistency]:
    """The honest proofs of all pairs of sizes."""
    return [
        (size1, size2, LOG.consistency(size1, size2), LOG.root(size1), LOG.root(size2))
        for size2 in range(1, LARGEST + 1)
        for size1 in range(1, size2 + 1)
    ]


# Honest paths


@pytest.mark.no_cover  # thousands of paths, on lines that the hostile ones cover
def test_every_honest_inclusion_path_of_every_size_is_accepted() -> None:
    for proof in inclusions():
        assert inclusion_holds(*proof)
        assert includes(*proof), proof[1:3]


@pytest.mark.no_cover  # thousands of paths, on lines that the hostile ones cover
def test_every_honest_consistency_path_of_every_pair_of_sizes_is_accepted() -> None:
    for proof in consistencies():
        assert consistency_holds(*proof)
        assert extends(*proof), proof[:2]


def test_nothing_is_included_in_the_empty_log() -> None:
    for root in (sha(b""), LEAVES[0], bytes(32)):
        assert not includes(LEAVES[0], 0, 0, [], root)


def test_two_empty_logs_are_the_same_log() -> None:
    assert extends(0, 0, [], sha(b""), sha(b""))
    assert not extends(0, 0, [], sha(b""), LEAVES[0])
    assert not extends(0, 0, [LEAVES[0]], sha(b""), sha(b""))


def test_a_proof_from_the_empty_log_is_rejected_since_it_says_nothing() -> None:
    for size in range(1, LARGEST + 1):
        assert not extends(0, size, [], sha(b""), LOG.root(size))
        assert not extends(0, size, [LOG.root(size)], sha(b""), LOG.root(size))


def test_equal_sizes_need_an_empty_path_and_equal_roots() -> None:
    for size in range(1, LARGEST + 1):
        root = LOG.root(size)
        assert extends(size, size, [], root, root)
        assert not extends(size, size, [root], root, root)
        assert not extends(size, size, [], root, sha(root))


# Hostile paths. A mutation may happen to give another honest proof (an inclusion path does not bind the size, only the
# signed head does), so the reference judges each of them.


def flipped(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(8 * len(data))
    return data[: place // 8] + bytes([data[place // 8] ^ 1 << place % 8]) + data[place // 8 + 1 :]


def bend(path: list[bytes], kind: int, chance: random.Random) -> list[bytes]:
    """Another path: one element changed, lost, added, doubled, moved, cut, lengthened or emptied; or none left."""
    bent, place = list(path), chance.randrange(len(path)) if path else 0
    if not bent:
        return [chance.choice([LEAVES[0], b"", bytes(32), bytes(31)])]
    match kind % 10:
        case 0:
            bent[place] = flipped(bent[place], chance)
        case 1:
            del bent[place]
        case 2:
            bent.insert(chance.randrange(len(bent) + 1), chance.choice(LEAVES))
        case 3:
            bent.insert(place, bent[place])
        case 4:
            bent.reverse()
        case 5:
            bent[place] = bent[place][:-1]
        case 6:
            bent[place] += b"\0"
        case 7:
            bent[place] = b""
        case 8:
            bent = []
        case 9:
            other = chance.randrange(len(bent))
            bent[place], bent[other] = bent[other], bent[place]
    return bent


def hostile_numbers(chance: random.Random, *near: int) -> int:
    """A wrong number of the kind that slips through: next door, twice, negative, huge."""
    number = chance.choice(near)
    return chance.choice(
        [number + 1, number - 1, -number, ~number, 2 * number, number ^ 1, 0, -1, 2**32 + number, 2**63, 2**64, 2**200]
    )


def bent_inclusion(proof: Inclusion, kind: int, chance: random.Random) -> Inclusion:  # noqa: PLR0911 - one per kind
    leaf, index, size, path, root = proof
    match kind % 16:
        case 0:
            return leaf, hostile_numbers(chance, index, size), size, path, root
        case 1:
            return leaf, index, hostile_numbers(chance, index, size), path, root
        case 2:
            return flipped(leaf, chance), index, size, path, root
        case 3:
            return leaf, index, size, path, flipped(root, chance)
        case 4:
            return root, index, size, path, leaf
        case 5:
            return leaf[:-1], index, size, path, root
        case 6 if path:  # a byte moved over the seam: what is hashed stays the same
            node, *rest = path
            if index == size - 1 or index & 1:
                return node[-1:] + leaf, index, size, [node[:-1], *rest], root
            return leaf[:-1], index, size, [leaf[-1:] + node, *rest], root
        case _:
            return leaf, index, size, bend(path, kind // 16, chance), root


def bent_consistency(proof: Consistency, kind: int, chance: random.Random) -> Consistency:  # noqa: PLR0911
    size1, size2, path, root1, root2 = proof
    match kind % 16:
        case 0:
            return hostile_numbers(chance, size1, size2), size2, path, root1, root2
        case 1:
            return size1, hostile_numbers(chance, size1, size2), path, root1, root2
        case 2:
            return size1, size2, path, flipped(root1, chance), root2
        case 3:
            return size1, size2, path, root1, flipped(root2, chance)
        case 4:
            return size1, size2, path, root2, root1
        case 5:
            return size2, size1, path, root2, root1
        case 6:
            return size1, size2, path, root1[:-1], root2
        case 7 if path:  # a byte moved over the seam: what is hashed stays the same, if the old tree is a full one
            return size1, size2, [root1[-1:] + path[0], *path[1:]], root1[:-1], root2
        case _:
            return size1, size2, bend(path, kind // 16, chance), root1, root2


def test_hostile_inclusion_paths_get_the_verdict_of_the_reference() -> None:
    chance, accepted = random.Random(6962), 0
    for kind, proof in enumerate(inclusions()):
        bent = bent_inclusion(proof, kind, chance)
        verdict = inclusion_holds(*bent)
        assert includes(*bent) == verdict, bent
        assert not verdict or bent == proof or bent[2] != proof[2], "only the size may change: it is not in the root"
        accepted += verdict
    assert accepted < 3_000


def test_hostile_consistency_paths_get_the_verdict_of_the_reference() -> None:
    chance, accepted = random.Random(6962), 0
    for kind, proof in enumerate(consistencies()):
        bent = bent_consistency(proof, kind, chance)
        verdict = consistency_holds(*bent)
        assert extends(*bent) == verdict, bent
        accepted += verdict
    assert accepted < 3_000


def test_every_path_short_of_an_element_is_rejected() -> None:
    """The hole once found in pymerkle: a short list of rules there let elements of the path go unread."""
    for size1, size2, path, root1, root2 in consistencies():
        if size2 > 40:
            break
        for start in range(len(path)):
            for end in range(start + 1, len(path) + 1):
                short = path[:start] + path[end:]
                assert not extends(size1, size2, short, root1, root2)
        assert not extends(size1, size2, [*path, root2], root1, root2)
        assert not extends(size1, size2, [root1, *path], root1, root2)


def test_two_unrelated_logs_have_no_proof_made_of_their_own_roots_and_nodes() -> None:
    other = Log([sha(leaf) for leaf in LEAVES])
    for size2 in range(2, 33):
        for size1 in range(1, size2):
            root1, root2 = other.root(size1), LOG.root(size2)
            for path in (
                LOG.consistency(size1, size2),
                other.consistency(size1, size2),
                [root1],
                [root1, root2],
                [root2],
                [],
                [root1, *LOG.consistency(size1, size2)],
                [root1, *LOG.consistency(size1, size2)[1:]],
            ):
                assert not extends(size1, size2, path, root1, root2)


HASHES = st.sampled_from([*LEAVES[:4], LOG.root(2), LOG.root(3), LOG.root(4), bytes(32)]) | st.binary(max_size=33)
NUMBERS = st.integers(-3, 9) | st.integers() | st.sampled_from([2**31, 2**63 - 1, 2**63, 2**64, 2**64 + 1])
PATHS = st.lists(HASHES, max_size=5)


@given(HASHES, NUMBERS, NUMBERS, PATHS, HASHES)
def test_any_inclusion_path_gets_the_verdict_of_the_reference(
    leaf: bytes, index: int, size: int, path: list[bytes], root: bytes
) -> None:
    assert includes(leaf, index, size, path, root) == inclusion_holds(leaf, index, size, path, root)


@given(NUMBERS, NUMBERS, PATHS, HASHES, HASHES)
def test_any_consistency_path_gets_the_verdict_of_the_reference(
    size1: int, size2: int, path: list[bytes], root1: bytes, root2: bytes
) -> None:
    assert extends(size1, size2, path, root1, root2) == consistency_holds(size1, size2, path, root1, root2)


@given(st.integers(1, 2**63 - 1), st.data())
def test_a_path_of_the_right_length_through_a_huge_log_leads_to_one_root(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    length = len(inclusion_spans(index, size))
    path = [sha(bytes([level])) for level in range(length)]
    root = SCRIPT.climb([LEAVES[0], *path], index + 1, size, leaf=True)[1]
    assert inclusion_holds(LEAVES[0], index, size, path, root)
    assert includes(LEAVES[0], index, size, path, root)
    assert not includes(LEAVES[0], index, size, [*path, sha(root)], root)


# The published vectors of Certificate Transparency


INPUTS = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
CT = Log([leaf_hash(bytes.fromhex(text)) for text in INPUTS])
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
AUDIT_PATHS = {  # (index, size)
    (0, 1): [],
    (0, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (5, 8): [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 3): ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"],
    (1, 5): [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}
CONSISTENCY_PATHS = {
    (1, 1): [],
    (1, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (6, 8): [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 5): [
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}


def test_the_reference_has_the_published_roots() -> None:
    assert [CT.root(size).hex() for size in range(9)] == ROOTS


@pytest.mark.parametrize(("index", "size"), AUDIT_PATHS)
def test_the_published_audit_paths_are_accepted(index: int, size: int) -> None:
    path = [bytes.fromhex(node) for node in AUDIT_PATHS[index, size]]
    assert path == CT.inclusion(index, size)
    verify_inclusion(CT.leaves[index], index, size, path, bytes.fromhex(ROOTS[size]))


@pytest.mark.parametrize(("size1", "size2"), CONSISTENCY_PATHS)
def test_the_published_consistency_paths_are_accepted(size1: int, size2: int) -> None:
    path = [bytes.fromhex(node) for node in CONSISTENCY_PATHS[size1, size2]]
    assert path == CT.consistency(size1, size2)
    verify_consistency(size1, size2, path, bytes.fromhex(ROOTS[size1]), bytes.fromhex(ROOTS[size2]))


# Other implementations


def test_pymerkle_has_the_same_roots_and_inclusion_paths() -> None:
    tree = InmemoryTree(algorithm="sha256")
    for number in range(LARGEST):
        tree.append_entry(number.to_bytes(4, "big"))
    for size in [*range(1, 70), 127, 128, 129, 255, 256, 257, LARGEST]:
        root = tree.get_root(size)
        assert root == LOG.root(size)
        for index in range(size):
            leaf, *path = tree.prove_inclusion(index + 1, size).path
            assert path == LOG.inclusion(index, size)
            verify_inclusion(leaf, index, size, path, root)


def test_the_script_gives_the_same_two_roots() -> None:
    climb = SCRIPT.climb
    for size in [*range(1, 70), 127, 128, 129, 255, 256, 257]:
        for count in range(1, size + 1):
            old, new = LOG.root(count), LOG.root(size)
            assert climb([LEAVES[count - 1], *LOG.inclusion(count - 1, size)], count, size, leaf=True)[1] == new
            whole = count == size or count & (count - 1) == 0
            nodes = [*([old] if whole else []), *LOG.consistency(count, size)]
            assert climb(nodes, count, size, leaf=False) == (old, new)


def hash_of(span: Span, size: int) -> bytes:
    """The fold of stored nodes, from the right: each is a perfect subtree, and all of its leaves are there."""
    for level, index in span:
        assert (index + 1) << level <= size
    hashes = [LOG.mth(index << level, (index + 1) << level) for level, index in span]
    return reduce(lambda right, left: node_hash(left, right), reversed(hashes))


def test_the_planned_inclusion_paths_are_those_of_the_reference() -> None:
    for _, index, size, path, _ in inclusions():
        assert [hash_of(span, size) for span in inclusion_spans(index, size)] == path, (index, size)


def test_the_planned_consistency_paths_are_those_of_the_reference() -> None:
    for size1, size2, path, _, _ in consistencies():
        assert [hash_of(span, size2) for span in consistency_spans(size1, size2)] == path, (size1, size2)


# Broken twins: each skips one check, and the hostile paths above must find it


def twin_inclusion_of_any_length(leaf: bytes, index: int, size: int, path: list[bytes], root: bytes) -> None:
    """Folds whatever it is given, as long as it leads to the root."""
    last = size - 1
    if not 0 <= index < size:
        raise ProofInvalid("index_range", "")
    for node in path:
        if index & 1 or index == last:
            leaf = node_hash(node, leaf)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            leaf = node_hash(leaf, node)
        index, last = index >> 1, last >> 1
    if leaf != root:
        raise ProofInvalid("root_mismatch", "")


def twin_inclusion_that_wraps(leaf: bytes, index: int, size: int, path: list[bytes], root: bytes) -> None:
    """Does not see that an index lies outside."""
    verify_inclusion(leaf, index % size if size else 0, size, path, root)


def twin_inclusion_of_any_hashes(leaf: bytes, index: int, size: int, path: list[bytes], root: bytes) -> None:
    """Does not look at the length of a hash."""
    if not 0 <= index < size or fold([leaf, *path], index + 1, size, leaf=True)[1] != root:
        raise ProofInvalid("root_mismatch", "")


def fold(nodes: list[bytes], count: int, size: int, *, leaf: bool) -> tuple[bytes, bytes]:
    try:
        return SCRIPT.climb(nodes, count, size, leaf=leaf)
    except SCRIPT.Rejected as error:
        raise ProofInvalid("path_length", "") from error


def folded(size1: int, size2: int, path: list[bytes], root1: bytes) -> tuple[bytes, bytes]:
    if not 0 < size1 <= size2:
        raise ProofInvalid("size_range", "")
    whole = size1 == size2 or size1 & (size1 - 1) == 0
    return fold([root1, *path] if whole else path, size1, size2, leaf=False)


def twin_consistency_of_any_hashes(size1: int, size2: int, path: list[bytes], root1: bytes, root2: bytes) -> None:
    """Does not look at the length of a hash."""
    if folded(size1, size2, path, root1) != (root1, root2):
        raise ProofInvalid("root_mismatch", "")


def twin_consistency_of_the_new_root_only(
    size1: int, size2: int, path: list[bytes], root1: bytes, root2: bytes
) -> None:
    """Never looks at the older root."""
    if folded(size1, size2, path, root1)[1] != root2:
        raise ProofInvalid("root_mismatch", "")


def twin_consistency_of_the_old_root_only(
    size1: int, size2: int, path: list[bytes], root1: bytes, root2: bytes
) -> None:
    """Never looks at the newer root."""
    if folded(size1, size2, path, root1)[0] != root1 and root2:
        raise ProofInvalid("root_mismatch", "")


def twin_consistency_of_equal_sizes(size1: int, size2: int, path: list[bytes], root1: bytes, root2: bytes) -> None:
    """Thinks that a log always extends itself."""
    if size1 != size2:
        verify_consistency(size1, size2, path, root1, root2)


def wrongly_accepted(
    twin: Callable[..., None], proofs: list[Any], bend_one: Callable[..., Any], holds: Callable[..., bool]
) -> int:
    chance, found = random.Random(6962), 0
    for kind, proof in enumerate(proofs[:4_000]):
        bent = bend_one(proof, kind, chance)
        found += accepts(twin, *bent) and not holds(*bent)
    return found


@pytest.mark.parametrize(
    "twin", [twin_inclusion_of_any_length, twin_inclusion_that_wraps, twin_inclusion_of_any_hashes]
)
def test_the_hostile_inclusion_paths_find_a_verifier_that_skips_a_check(twin: Callable[..., None]) -> None:
    assert all(accepts(twin, *proof) for proof in inclusions()[:4_000])
    assert wrongly_accepted(twin, inclusions(), bent_inclusion, inclusion_holds)


@pytest.mark.parametrize(
    "twin",
    [
        twin_consistency_of_any_hashes,
        twin_consistency_of_the_new_root_only,
        twin_consistency_of_the_old_root_only,
        twin_consistency_of_equal_sizes,
    ],
)
def test_the_hostile_consistency_paths_find_a_verifier_that_skips_a_check(twin: Callable[..., None]) -> None:
    assert all(accepts(twin, *proof) for proof in consistencies()[:4_000])
    assert wrongly_accepted(twin, consistencies(), bent_consistency, consistency_holds)


def test_a_rejection_says_why_in_a_stable_word() -> None:
    root, path = LOG.root(7), LOG.inclusion(3, 7)
    bad: list[tuple[str, Inclusion]] = [
        ("index_range", (LEAVES[3], 7, 7, path, root)),
        ("index_range", (LEAVES[3], -1, 7, path, root)),
        ("path_length", (LEAVES[3], 3, 7, path[:-1], root)),
        ("length", (LEAVES[3], 3, 7, [path[0][:-1], *path[1:]], root)),
        ("root_mismatch", (LEAVES[4], 3, 7, path, root)),
    ]
    for reason, proof in bad:
        with pytest.raises(ProofInvalid) as caught:
            verify_inclusion(*proof)
        assert caught.value.reason == reason
