"""Tables whose optimum is known: the reductions of the papers, applied to small graphs and set systems.

The graph or set problem behind a table is solved by brute force, so every optimum is computed without an anonymization.

References
----------
Chakaravarthy, Pandit, Sabharwal: On the Complexity of the k-Anonymization Problem (2010).
Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems (2013).
Meyerson, Williams: On the Complexity of Optimal k-Anonymity (2004).
Bredereck, Nichterlein, Niedermeier: Pattern-Guided k-Anonymity (2013).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Edge = tuple[int, int]
Hyperedge = frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A table, a guarantee, and what it costs: the least number of suppressed cells.

    ``masks`` are the columns (by position) that each permitted mask shows; None permits every mask.
    """

    rows: list[tuple[str, ...]]
    k: int
    masks: list[tuple[int, ...]] | None
    optimum: int


K4: list[Edge] = list(itertools.combinations(range(4), 2))
K33: list[Edge] = [(u, v) for u in range(3) for v in range(3, 6)]
PRISM: list[Edge] = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)]
CUBE: list[Edge] = [(u, u | bit) for u in range(8) for bit in (1, 2, 4) if not u & bit]
PETERSEN: list[Edge] = [
    *((i, (i + 1) % 5) for i in range(5)),
    *((i, i + 5) for i in range(5)),
    *((i + 5, (i + 2) % 5 + 5) for i in range(5)),
]
CUBIC: dict[str, list[Edge]] = {"K4": K4, "K33": K33, "prism": PRISM, "cube": CUBE, "Petersen": PETERSEN}


def vertices(edges: Sequence[Edge]) -> int:
    """Return the number of vertices of a graph without isolated ones, numbered from 0."""
    return len(set(itertools.chain(*edges)))


def vertex_cover(edges: Sequence[Edge]) -> int:
    """Return the least number of vertices that touch every edge."""
    everyone = range(vertices(edges))
    sizes = (
        size
        for size in range(len(everyone) + 1)
        for chosen in itertools.combinations(everyone, size)
        if all(u in chosen or v in chosen for u, v in edges)
    )
    return next(sizes)


def bisection(edges: Sequence[Edge]) -> int:
    """Return the least number of edges between two halves of the vertices."""
    n = vertices(edges)
    return min(sum((u in half) != (v in half) for u, v in edges) for half in map(set, itertools.combinations(range(n), n // 2)))


def most_disjoint(hyperedges: Sequence[Hyperedge]) -> int:
    """Return the largest number of hyperedges of which no two share a vertex."""
    return max(
        size
        for size in range(len(hyperedges) + 1)
        for chosen in itertools.combinations(hyperedges, size)
        if len(frozenset().union(*chosen)) == sum(map(len, chosen))
    )


def set_cover(universe: int, family: Sequence[Hyperedge]) -> int:
    """Return the least number of sets that hold all of the universe."""
    return next(
        size
        for size in range(len(family) + 1)
        for chosen in itertools.combinations(family, size)
        if len(frozenset().union(*chosen)) == universe
    )


def cubic_vertex_cover(edges: Sequence[Edge]) -> Instance:
    """Chakaravarthy et al., Theorem 3.1: for a cubic graph with r vertices the optimum is 27 r + 2 |E| + 14 + VC.

    Three columns, k = 7. Every row pays a base cost (27 a vertex, 2 an edge, 14 for the dummy rows); beyond it a solution
    pays exactly for a vertex cover (Claims 1 and 4): the critical row of each vertex of the cover pays one cell more.
    """
    special = (f"only {number}" for number in itertools.count())
    rows: list[tuple[str, ...]] = []
    r = vertices(edges)
    for u in map(str, range(r)):
        rows += [("zero", u, u)] * 6
        rows += [(next(special), u, u)]
        rows += [(next(special), u, next(special)) for _ in range(7)]
        rows += [("zero", u, "Z")] * 3
        rows += [("zero", "Z", u)] * 3
    for x, y in edges:
        rows += [("zero", str(x), str(y)), ("zero", str(y), str(x))]
    rows += [("zero", next(special), "Z") for _ in range(7)]
    rows += [("zero", "Z", next(special)) for _ in range(7)]
    return Instance(rows=rows, k=7, masks=None, optimum=27 * r + 2 * len(edges) + 14 + vertex_cover(edges))


def half_of_the_vertices(edges: Sequence[Edge]) -> Instance:
    """Liang and Yuan, Theorem 3: k = n / 2 on the incidence matrix of a graph costs n (|E| + bisection) / 2.

    A row is a vertex, a column an edge: the row's own number at the edge's ends, 0 elsewhere. A class of n / 2 rows shows
    the edges that it does not touch, so two classes pay n / 2 for each edge inside, and twice that for each edge between.
    """
    n = vertices(edges)
    rows = [tuple(str(v + 1) if v in edge else "0" for edge in edges) for v in range(n)]
    return Instance(rows=rows, k=n // 2, masks=None, optimum=n * (len(edges) + bisection(edges)) // 2)


def a_share_of_the_rows(edges: Sequence[Edge], share: Fraction) -> Instance:
    """Liang and Yuan, Theorem 4: k = c n for a share c of at most 1/3 costs what Theorem 3 costs.

    The table of Theorem 3 gets n |E| columns of one symbol, and rows of another symbol in all columns, until its n rows are
    2 c of all. A class that mixes both loses the new columns, which is more than everything else.
    """
    known = half_of_the_vertices(edges)
    n, m = len(known.rows), len(edges)
    total = n / (2 * share)
    assert share <= Fraction(1, 3)
    assert total.denominator == 1
    rows = [(*row, *["A"] * (n * m)) for row in known.rows] + [("B",) * (m + n * m)] * (int(total) - n)
    return Instance(rows=rows, k=known.k, masks=None, optimum=known.optimum)


def half_clique(edges: Sequence[Edge], more: int) -> Instance:
    """Liang and Yuan, Theorem 5: k = c n' for c between 1/3 and 1/2 finds a clique of half of the vertices.

    The table of Theorem 3 gets rows of a value of their own, at least two and fewer than k. There are two classes, and one
    with a new row shows nothing. The other, of vertices V1, shows the edges among the remaining ones: |V1| cells for each.
    """
    known = half_of_the_vertices(edges)
    n, m, k = len(known.rows), len(edges), known.k
    assert 2 <= more < k
    rows = known.rows + [(str(n + 1 + number),) * m for number in range(more)]
    saved = max(
        (n - size) * sum(set(edge) <= set(rest) for edge in edges)
        for size in range(max(0, k - more), k + 1)
        for rest in itertools.combinations(range(n), size)
    )
    return Instance(rows=rows, k=k, masks=None, optimum=len(rows) * m - saved)


def has_half_clique(edges: Sequence[Edge]) -> bool:
    """Return whether half of the vertices are all joined with each other."""
    n = vertices(edges)
    joined = {frozenset(edge) for edge in edges}
    return any(
        all(frozenset(pair) in joined for pair in itertools.combinations(half, 2))
        for half in itertools.combinations(range(n), n // 2)
    )


def dimensional_matching(vertex_count: int, hyperedges: Sequence[Hyperedge]) -> Instance:
    """Meyerson and Williams, Theorem 3.1: a simple k-hypergraph has a perfect matching iff the optimum is at most n (m - 1).

    A row is a vertex, a column a hyperedge: 0 where the vertex is in it, the row's own number elsewhere. A class can only
    show a column if it is that hyperedge, and no other column with it; the vertices left over are a multiple of k and
    show nothing. So the optimum is n m - k nu for nu disjoint hyperedges at most, which is n (m - 1) for n / k of them.
    """
    k = len(hyperedges[0])
    assert vertex_count % k == 0
    assert {len(each) for each in hyperedges} == {k}
    assert len(set(hyperedges)) == len(hyperedges)
    rows = [tuple("0" if v in edge else str(v + 1) for edge in hyperedges) for v in range(vertex_count)]
    optimum = vertex_count * len(hyperedges) - k * most_disjoint(hyperedges)
    return Instance(rows=rows, k=k, masks=None, optimum=optimum)


def three_set_cover(universe: int, family: Sequence[Hyperedge]) -> Instance:
    """Bredereck et al., Theorem 1: two masks, three columns, k = 3 cost 4 |U| + 3 |F| + 3 h for a smallest cover of h sets.

    Two rows (u, only, only) for each element must show u alone, and need a row (u, S, S) of a set S to be three. The three
    rows of a set show S S together (3 cells) or are given up together (6 cells): 3 more for each set of a cover.
    """
    special = (f"only {number}" for number in itertools.count())
    rows = [(f"u{u}", next(special), next(special)) for u in range(universe) for _ in range(2)]
    rows += [(f"u{u}", f"S{s}", f"S{s}") for s, each in enumerate(family) for u in sorted(each)]
    optimum = 4 * universe + 3 * len(family) + 3 * set_cover(universe, family)
    return Instance(rows=rows, k=3, masks=[(0,), (1, 2)], optimum=optimum)


def greedy_is_tight(m: int) -> Instance:
    """Bredereck et al., Theorem 4: the optimum is m^2 where their greedy suppresses (m - 1) m^2 cells.

    m columns, k = m: k rows of ones, and for each column k - 1 rows of ones but for a unique value there; the masks that
    hide one column, none, or all. The greedy takes the rows of ones as one class, so the others lose everything; at the
    optimum each of them completes one class of the others, and every row hides one cell. That is least: the others hide a
    cell each, and if a row of ones hides none, all m of them do, and the others are too few to hide one column only.
    """
    ones = ("1",) * m
    unique = (tuple(f"only {i} {copy}" if c == i else "1" for c in range(m)) for i in range(m) for copy in range(m - 1))
    masks = [tuple(c for c in range(m) if c != hidden) for hidden in range(m)]
    return Instance(rows=[ones] * m + list(unique), k=m, masks=[*masks, tuple(range(m)), ()], optimum=m * m)


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitiveInstance:
    """A table whose classes have to be t-close: rows, a sensitive value each (0, 1, ...), t, and the least cost.

    ``apart`` are the distances of the values; None where any two are 1 apart.
    """

    rows: list[tuple[str, ...]]
    values: list[int]
    t: Fraction
    apart: list[list[Fraction]] | None
    optimum: int


def three_sets_matching(n: int, triples: Sequence[Hyperedge], t: Fraction) -> SensitiveInstance:
    """Liang and Yuan, Theorem 6: 3-dimensional matching of X, Y and Z, n elements each, for any t below 1/3.

    A row is an element, its sensitive value which set it is of; a column is a triple, with 0 for its three elements. A class
    needs all three values, and shows a column only if it is that triple. What disjoint triples leave over has as many
    elements of each set, and is a class that shows nothing: the optimum is 3 n m - 3 nu for nu disjoint triples at most.
    """
    assert t < Fraction(1, 3)
    assert all({v // n for v in each} == {0, 1, 2} for each in triples)
    rows = [tuple("0" if v in edge else str(v + 1) for edge in triples) for v in range(3 * n)]
    optimum = 3 * n * len(triples) - 3 * most_disjoint(triples)
    return SensitiveInstance(rows=rows, values=[v // n for v in range(3 * n)], t=t, apart=None, optimum=optimum)


def four_values_matching(n: int, triples: Sequence[Hyperedge], t: Fraction) -> SensitiveInstance:
    """Liang and Yuan, Theorem 7: the same for t from 1/3 to 1/2, with a fourth value half as far from the others.

    Rows of the fourth value, 3 n / (1 - 2 t) less 3 n, are t-close alone and cost nothing. A class without any of them is
    t-close only with the three other values in equal parts, and a class with one shows nothing.
    """
    assert Fraction(1, 3) <= t < Fraction(1, 2)
    total = 3 * n / (1 - 2 * t)
    assert total.denominator == 1
    known = three_sets_matching(n, triples, Fraction(0))
    more = [tuple([str(v + 1)] * len(triples)) for v in range(3 * n, int(total))]
    half, one = Fraction(1, 2), Fraction(1)
    apart = [[Fraction(0) if i == j else half if 3 in (i, j) else one for j in range(4)] for i in range(4)]
    return SensitiveInstance(
        rows=known.rows + more, values=known.values + [3] * len(more), t=t, apart=apart, optimum=known.optimum
    )
