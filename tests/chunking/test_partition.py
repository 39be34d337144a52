"""The best partition of a row of atoms."""

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.chunking.partition import Atom, partition_atoms

ATOMS = st.lists(
    st.builds(
        Atom,
        size=st.integers(1, 60),
        cut=st.sampled_from([0.0, 0.1, 0.4]),
        join=st.sampled_from([0.0, 0.8]),
        depth=st.integers(0, 2),
        opens=st.booleans(),
        repeat=st.sampled_from([0.0, 5.0]),
    ),
    min_size=1,
    max_size=8,
)


def cost(atoms: list[Atom], starts: tuple[int, ...], target: float, cap: float) -> float | None:
    """The cost of one partition, None where it is not allowed; written down anew from the docstring."""
    total = 0.0
    for start, end in zip(starts, (*starts[1:], len(atoms)), strict=True):
        size = atoms[start].repeat + sum(atom.size for atom in atoms[start:end])
        inner = atoms[start + 1 : end]
        if inner and (size > cap or any(atom.opens and atom.depth < atoms[start].depth for atom in inner)):
            return None
        gap = (1 - size / target) if size <= target else min(1.0, (size - target) / (cap - target))
        tiny = 0.5 * (1 - size / (0.2 * target)) if size < 0.2 * target else 0.0
        total += gap**2 + tiny + sum(atom.join for atom in inner) + (atoms[start].cut if start else 0.0)
    return total


@settings(max_examples=100, deadline=None)
@given(atoms=ATOMS)
def test_no_other_partition_costs_less(atoms: list[Atom]) -> None:
    inner = range(1, len(atoms))
    all_starts = [(0, *chosen) for n in range(len(atoms)) for chosen in combinations(inner, n)]
    costs = [c for starts in all_starts if (c := cost(atoms, starts, 50, 80)) is not None]
    mine = cost(atoms, tuple(partition_atoms(atoms, target=50, cap=80)), 50, 80)
    assert mine is not None
    assert mine <= min(costs) + 1e-9


def test_equal_atoms_are_shared_out_evenly() -> None:
    assert partition_atoms([Atom(10)] * 12, target=100, cap=100) == [0, 6]


def test_nothing_has_no_pieces() -> None:
    assert partition_atoms([], target=10, cap=10) == []


def test_an_atom_over_the_cap_stands_alone() -> None:
    assert partition_atoms([Atom(5), Atom(500), Atom(5)], target=50, cap=60) == [0, 1, 2]
