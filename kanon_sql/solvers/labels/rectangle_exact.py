"""`rectangle_exact`: few points in the plane, released as the best disjoint rectangles of any arrangement.

References
----------
Du, Eppstein, Goodrich, Lueker: On the Approximability of Geometric and Geographic Generalization and the Min-Max Bin Covering
Problem (2009), section 3: the problem, and that it is NP-hard.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.integer_programs.constraint_search import searched
from kanon_sql.solvers.labels import guillotine, kd_tree
from kanon_sql.solvers.labels.grouping import Grouping, refuse_few
from kanon_sql.table.arrays import Int64

_MOST_CELLS = 1 << 20
"""Cells of the boxes that a program chooses among."""

_WORK = 10.0
"""Work of the solver where there is no time limit, in its own units: a few seconds."""

GUARANTEE = "the optimum (constraint programming)"

_BOUND = "exact cover by boxes"


def group(x: Int64, y: Int64, weight: Int64, k: int, budget: Budget) -> Grouping:
    """Divide points into groups of at least k rows with disjoint bounding boxes, the heaviest group as light as possible.

    Parameters
    ----------
    x, y, weight, k
        As in `guillotine.group`.
    budget : Budget
        When it ends, the lightest division so far is returned. Without a limit, the search ends after a fixed amount of work.

    Raises
    ------
    InfeasibleError
        If all points together have fewer than k rows.
    PolicyError
        If there are more than 32 different coordinates on an axis.

    Notes
    -----
    Divisions of `kd_tree` and `guillotine` come first. Boxes of k to C rows are chosen so that each point is in one and no two
    share a cell of the grid of coordinates. If there are none, C is raised, and the bound with it. Only *tight* boxes are
    needed, which have points on all sides. Exponential in the worst case.
    """
    refuse_few(weight, k)
    before = guillotine.sums(x, y, weight, "rectangle_exact")
    divisions = [guillotine.group(x, y, weight, k, budget), kd_tree.group(x, y, weight, k, budget)]
    lower_bound, bound = guillotine.lower_bound_of(x, y, weight, before, k)
    first = min(divisions, key=lambda each: int(each.rows(weight).max()))
    cost = int(first.rows(weight).max())
    cover = _BoxCover(boxes=tight_boxes(before, k, cost - 1), place=first.group, cost=cost, bound=lower_bound)
    cover.search(before, x, y, budget)
    guarantee = (
        GUARANTEE if cover.cost == cover.bound else f"the search did not end; it began with a solution of {kd_tree.GUARANTEE}"
    )
    return Grouping.of(cover.place, cover.bound, bound if cover.bound == lower_bound else _BOUND, guarantee)


def tight_boxes(before: Int64, k: int, most: int) -> Int64:
    """Return all boxes of ``k`` to ``most`` rows that have points on each of their four sides.

    Parameters
    ----------
    before : int64 array [p + 1, q + 1]
        Rows in the first so many columns and lines of the grid.
    k, most : int
        Rows.

    Returns
    -------
    int64 array [c, 5]
        Rows, first column, end of columns, first line, end of lines; in ascending order of rows.
    """
    p, q = (side - 1 for side in before.shape)
    found = []
    for a in range(p):
        for b in range(a + 1, p + 1):
            strip, left, right = before[b] - before[a], before[a + 1] - before[a], before[b] - before[b - 1]
            c, d = np.triu_indices(q)
            rows = strip[d + 1] - strip[c]
            tight = (rows >= k) & (rows <= most) & (strip[c + 1] > strip[c]) & (strip[d + 1] > strip[d])
            tight &= (left[d + 1] > left[c]) & (right[d + 1] > right[c])
            c, d, rows = c[tight], d[tight] + 1, rows[tight]
            found.append(np.stack([rows, np.full(len(c), a), np.full(len(c), b), c, d], axis=1))
    boxes = np.concatenate(found)
    return boxes[np.argsort(boxes[:, 0], kind="stable")]


@dataclass(slots=True, kw_only=True)
class _BoxCover:
    """The best groups so far, and what is proven."""

    boxes: Int64  # [c, 5]: as `tight_boxes` returns them: those that are lighter than the heaviest group
    place: Int64  # [n]: the group of each point
    cost: int  # rows of the heaviest group
    bound: int  # a lower bound on it
    work: float = _WORK  # work that is left to the solver

    def search(self, before: Int64, x: Int64, y: Int64, budget: Budget) -> None:
        """Raise the bound and lower the cost until they meet, or work, budget or the cells of boxes are used up."""
        step, halved = 1, False
        while self.bound < self.cost and (self.work > 0 or budget.seconds is not None) and not budget.over():
            rows = np.unique(self.boxes[:, 0])
            heavy = rows[(rows >= self.bound) & (rows < self.cost)]
            if not len(heavy):
                self.bound = self.cost
                return
            most = int(heavy[(len(heavy) - 1) // 2 if halved else min(step, len(heavy)) - 1])
            boxes = self.boxes[self.boxes[:, 0] <= most]
            if int(((boxes[:, 2] - boxes[:, 1]) * (boxes[:, 4] - boxes[:, 3])).sum()) > _MOST_CELLS:
                return
            status, chosen = self._chosen(boxes, before, budget)
            if status == "none":
                self.bound, step = most + 1, 2 * step
            elif status == "some":
                self._keep(chosen, x, y)
                halved = True
            else:
                return

    def _chosen(self, boxes: Int64, before: Int64, budget: Budget) -> tuple[str, Int64]:
        """Return disjoint boxes that hold each point, and whether there are ``some``, ``none``, or it was not decided."""
        from kanon_sql.solvers.or_tools import cp_model

        model = cp_model.CpModel()
        taken = [model.new_bool_var("") for _ in boxes]
        points = np.diff(np.diff(before, axis=0), axis=1)
        for column in range(points.shape[0]):
            within = np.flatnonzero((boxes[:, 1] <= column) & (column < boxes[:, 2]))
            for line in range(points.shape[1]):
                over = within[(boxes[within, 3] <= line) & (line < boxes[within, 4])]
                holders = [taken[each] for each in over.tolist()]
                if points[column, line]:
                    model.add_exactly_one(holders)
                elif len(holders) > 1:
                    model.add_at_most_one(holders)

        def report() -> None:
            budget.report("boxes", budget.share(), self.cost, self.bound)

        solver, status = searched(model, budget, report, work=self.work)
        self.work -= solver.response_proto.deterministic_time
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return "some", boxes[[solver.boolean_value(each) for each in taken]]
        return ("none" if status == cp_model.INFEASIBLE else ""), boxes[:0]

    def _keep(self, boxes: Int64, x: Int64, y: Int64) -> None:
        """Take the groups of these boxes."""
        place = np.empty(len(x), np.int64)
        for number, (_, a, b, c, d) in enumerate(boxes.tolist()):
            place[(a <= x) & (x < b) & (c <= y) & (y < d)] = number
        self.place, self.cost = place, int(boxes[:, 0].max())
