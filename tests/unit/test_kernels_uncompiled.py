"""Without a C compiler the kernels run as Python: with the same results, and with one warning."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import pytest

BLOCKED = "import sys; sys.modules['cython'] = None\n"
"""An installation does not need Cython."""

SOLVE = """
import json
from fractions import Fraction
import numpy as np
import kanon_sql
from kanon_sql.kernels.classes import rebuild
from kanon_sql.kernels.classes import open_by_price
from kanon_sql.kernels.classes import classes_near
from kanon_sql.kernels.classes import Partition, CandidateClasses, put_all
from kanon_sql.kernels.classes import RepairWorkspace
from kanon_sql.solvers.instances.row_distance import row_types_by_value
from kanon_sql.kernels.instances import class_costs
from kanon_sql.kernels.instances import distances, nearest_row_types
from kanon_sql.kernels import COMPILED, seeded
from kanon_sql.kernels.summaries import rebuild as rebuild_plain
from kanon_sql.kernels.summaries import Measure, class_losses
from kanon_sql.kernels.summaries import Classes, Shape
from kanon_sql.solvers.budget import UNLIMITED
from kanon_sql.solvers.projections.set_requirements import SetRequirement
from kanon_sql.solvers.projections.partition_bound import proven_prices
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.solvers.labels import balanced, bin_scheme, guillotine, intervals, kd_tree, region_exact, regions

results = {}

def keep(name, found):
    results[name] = [found.group.tolist(), found.lower_bound, found.bound]

random = np.random.default_rng(1)
for seed in range(3):
    weight = random.integers(1, 1 << (4 + 25 * seed), 11)
    k = int(weight.sum()) // 4
    keep(f"balanced {seed}", balanced.group(weight, k, UNLIMITED))
    keep(f"bin_scheme {seed}", bin_scheme.group(weight, k, UNLIMITED, epsilon=Fraction(1, 2)))
    for objective in ("max", "sum"):
        keep(f"intervals {objective} {seed}", intervals.group(weight, k, UNLIMITED, objective=objective))
    points = np.unique(random.integers(0, 5, (12, 2)), axis=0)
    x, y = (np.unique(axis, return_inverse=True)[1] for axis in points.T)
    weight = random.integers(1, 1 << (4 + 25 * seed), len(points))
    k = int(weight.sum()) // 4
    keep(f"kd_tree {seed}", kd_tree.group(x, y, weight, k, UNLIMITED))
    keep(f"guillotine {seed}", guillotine.group(x, y, weight, k, UNLIMITED))
    weight = random.integers(1, 9, 12)
    edges = np.array([(v, int(random.integers(v))) for v in range(1, 12)] + [(0, 11), (3, 9), (5, 8)])
    k = int(weight.sum()) // 4
    keep(f"regions {seed}", regions.group(weight, edges, k, UNLIMITED))
    keep(f"region_exact {seed}", region_exact.group(weight, edges, k, UNLIMITED))

t, j = 14, 30
held = random.random((j, t)) < 0.5
held[0] = True
owner, member = np.nonzero(held)
cost = np.where(np.arange(j) == 0, 9000, 100 * held.sum(axis=1)).astype(np.int64)
by_type = np.lexsort((cost[owner], member))
candidates = CandidateClasses(
    start=np.searchsorted(owner, np.arange(j + 1)).astype(np.int64),
    member=member.astype(np.int32),
    first=np.searchsorted(member[by_type], np.arange(t + 1)).astype(np.int64),
    instance=owner[by_type].astype(np.int32),
    cost=cost,
    price=random.integers(200, 2000, t),
    weight=random.integers(1, 4, t),
)
partition = Partition(t, j)
results["opened"] = open_by_price(candidates, partition, 3, 0.98, -500).tolist()
state = seeded(5)
work = RepairWorkspace(candidates, 3, 6, candidates.price.copy(), np.zeros(t, np.int32))
rebuild(candidates, partition, work, 3, 60, 0.05, 300, state)
results["rebuilt"] = [np.asarray(each).tolist() for each in (partition.where, partition.amount, partition.rows)]
results["near"] = [classes_near(candidates, partition, seed, 6, state).tolist() for seed in range(t)]
results["state"] = int(state[0])

codes, weight = random.integers(0, 3, (70, 19)).astype(np.int32), random.integers(1, 3, 70)
for name, cost in (("alike", np.ones(19, np.int64)), ("different", random.integers(1, 6, 19))):
    values, near = row_types_by_value(codes, cost), np.empty((70, 5), np.int32)
    nearest_row_types(values, 0, 70, near)
    results[f"near {name}"] = near.tolist()
    results[f"distances {name}"] = distances(values, weight, 4, 0, 70).tolist()
    results[f"class costs {name}"] = class_costs(values, weight, cost.astype(np.uint16), 3, 0, 70).tolist()
measure = Measure(
    kind=np.zeros(19, np.int64), step=np.ones(19, np.int64), null=np.full(19, -1), first=np.append(0, np.cumsum(np.full(19, 3)))
)
most = int(weight.sum()) // 2  # classes of two rows or more
partition = Partition(70, most)
put_all(partition, np.arange(70, dtype=np.int32), (np.arange(70) // 2).astype(np.int32), weight)
rows = np.bincount(np.arange(70) // 2, weights=weight).astype(np.int64)
losses = class_losses(codes, measure, np.arange(70), np.arange(70) // 2, rows)
unused = np.zeros(most - 35, np.int64)
classes = Classes(partition=partition, size=np.append(np.full(35, 2), unused), loss=np.append(losses, unused))
for by_gain in (False, True):
    shape = Shape(k=2, classes=3, row_types=12, threshold=0, by_gain=by_gain)
    rebuild_plain(codes, measure, classes, near, shape, 15, state)
    results[f"plain {by_gain}"] = [np.asarray(each).tolist() for each in (partition.where, classes.loss)]

rows = np.unique(random.integers(0, 3, (14, 4)), axis=0).astype(np.int32)
ones = np.ones(len(rows), np.int64)
names = tuple((f"c{column}",) for column in range(4))
known = CodedTable(columns=names, codes=rows, weight=ones, origin=ones, cost=np.array([1, 2, 1, 1]), unit=1)
sets = {(first, last): SetRequirement(rows=3) for last in range(4) for first in range(last)}
prices, method = proven_prices(known, sets, UNLIMITED)
results["known columns"] = [method, prices.price.tolist(), prices.charges.tolist()]

with kanon_sql.connect() as con:
    con.execute("SET enable_progress_bar = false")
    con.execute("CREATE TABLE p AS SELECT i % 5 AS zip, i * i % 7 AS age, i % 3 AS sex FROM range(40) t(i)")
    con.execute("CREATE TABLE few AS FROM p LIMIT 12")
    releases = {
        name: f"FROM k_anonymize('{table}', {k}, algorithm := '{name}')"
        for name, table, k in [
            *((name, "p", 3) for name in ("refine", "optimal", "greedy", "balls", "forest", "merge_small")),
            *((name, "p", 3) for name in ("mondrian", "full_domain")),
            *((name, "few", 2) for name in ("matching", "cover", "subset_dp", "attribute", "log_cover")),
        ]
    }
    con.execute("CREATE TABLE ill AS SELECT i % 4 AS zip, i % 5 AS age, i * i * i % 4 AS s, i // 2 AS p FROM range(20) t(i)")
    con.execute("CREATE TABLE tree AS SELECT s AS level0, s % 2 AS level1, '*' AS level2 FROM ill GROUP BY ALL")
    far = "SELECT DISTINCT a.s AS a, b.s AS b, if(a.s < 1, 0.5, 1) AS distance FROM ill a, ill b WHERE a.s < b.s"
    con.execute(f"CREATE TABLE far AS {far}")
    criteria = [
        "l(s) >= 2", "l(s, 'distinct') >= 2", "l(s, 'entropy') >= 1.5", "l(s, 'recursive', 2) >= 2", "alpha(s, '0') <= 0.5",
        "beta(s) <= 1", "t(s) <= 0.4", "t(s, 'ordered') <= 0.2", "t(s, 'hierarchical', 'tree') <= 0.4", "t(s, 'far') <= 0.3",
    ]
    fast = "USING auto (effort = 'fast')"
    for criterion in criteria:
        releases[criterion] = f"SELECT zip, age, s FROM ill ANONYMIZE BY zip, age GUARANTEE k >= 2 AND {criterion}"
        releases[f"means {criterion}"] = f"{releases[criterion].replace('zip, age G', 'zip IN MEANS, age IN MEANS G')} {fast}"
    releases["people"] = "FROM ill ANONYMIZE BY zip, age GUARANTEE k >= 2 PER p AND l(s, 'distinct') >= 2"
    releases["ranges"] = f"SELECT zip, age FROM p ANONYMIZE BY zip IN SETS, age IN RANGES GUARANTEE k >= 8 {fast}"
    releases["means"] = f"SELECT zip, age FROM p ANONYMIZE BY zip IN MEANS, age IN MEANS GUARANTEE k >= 4 {fast}"
    for name, statement in releases.items():
        rows = con.execute(statement).fetchall()
        certificate = kanon_sql.releases(con)[-1]
        results[f"release {name}"] = [sorted(map(repr, rows)), str(certificate.cost), str(certificate.lower_bound)]
print(json.dumps([COMPILED, kanon_sql.__file__, results]))
"""


def run(statements: str, folder: Path) -> tuple[list[Any], str]:
    """Run statements with the package of a folder; return what they print last, and what the process warns of."""
    command = [sys.executable, "-P", "-B", "-c", statements]
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONWARNINGS": "default"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


@pytest.fixture(scope="module")
def uncompiled(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package as it is installed without a C compiler."""
    folder = tmp_path_factory.mktemp("uncompiled")
    for source, target in ((root / "kanon_sql", "."), (root / "udfs", "udfs"), (root / "sql", "sql")):
        ignored = ignore_patterns("__pycache__", "*.so", "*.pyd")
        copytree(source, folder / "kanon_sql" / target, ignore=ignored, dirs_exist_ok=True)
    return folder


@pytest.mark.everything
def test_compiled_and_uncompiled_kernels_give_the_same(root: Path, uncompiled: Path) -> None:
    (compiled, file, expected), silent = run(SOLVE, root)
    assert compiled
    assert Path(file).parent.parent == root
    assert "not compiled" not in silent
    (compiled, file, found), warned = run(BLOCKED + SOLVE, uncompiled)
    assert not compiled
    assert Path(file).parent.parent == uncompiled
    assert len(expected) == 73
    for name, result in expected.items():
        assert found[name] == result, name
    assert warned.count("RuntimeWarning") == 1
    assert "hint: install a C compiler and reinstall kanon-sql, or install a wheel" in warned
