"""`kanon anonymize` and `kanon audit` with a sensitive column."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import pytest
from kanon_process import Kanon

DISEASES = ("flu", "cold", "ulcer")


UNCOUNTED = "warning: nr singles out 100.0% of the rows. It is not a quasi-identifier, so this audit does not count it.\n"


@pytest.fixture
def patients(folder: Path) -> Path:
    """Sixty rows; in the whole table the diseases are equally frequent, in most zip codes they are not."""
    rows = [f"{n % 5},{20 + n % 4},{DISEASES[(n // 20 + (n % 7 == 0)) % 3]},{n}" for n in range(60)]
    path = folder / "patients.csv"
    path.write_text("\n".join(["zip,age,disease,nr", *rows]) + "\n")
    (folder / "tree.csv").write_text("value,parent\nflu,lung\ncold,lung\nulcer,stomach\nlung,any\nstomach,any\nany,\n")
    (folder / "far.csv").write_text("a,b,distance\nflu,cold,0.5\nflu,ulcer,1\ncold,ulcer,1\n")
    return path


def classes(path: Path) -> list[Counter[str]]:
    """Return how often each disease occurs in each class."""
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in csv.DictReader(path.read_text().splitlines()):
        found[row["zip"], row["age"]][row["disease"]] += 1
    return list(found.values())


QI = ("--qi", "zip,age")
KEEP = ("--keep", "nr")
KEPT = "warning: nr is released unchanged and singles out 100.0% of the rows\n"


@pytest.mark.everything
def test_every_class_is_diverse_and_the_sensitive_column_is_untouched(kanon: Kanon, patients: Path, folder: Path) -> None:
    done = kanon("anonymize", "patients.csv", "-o", "out.csv", *QI, *KEEP, "--k", "3", "--sensitive", "Disease", "--l", "3/2")
    assert (done.returncode, done.stderr) == (0, KEPT)
    assert "k >= 3, l(disease) >= 3/2" in done.stdout
    assert all(sum(each.values()) >= max(3, max(each.values()) * Fraction(3, 2)) for each in classes(folder / "out.csv"))
    column = {row["nr"]: row["disease"] for row in csv.DictReader(patients.read_text().splitlines())}
    assert column == {row["nr"]: row["disease"] for row in csv.DictReader((folder / "out.csv").read_text().splitlines())}
    kept = kanon("audit", "out.csv", *QI, "--k", "3", "--sensitive", "disease", "--l", "1.5")
    assert (kept.returncode, kept.stderr) == (0, UNCOUNTED)


@pytest.mark.everything
def test_every_class_is_close_to_the_whole_table(kanon: Kanon, patients: Path, folder: Path) -> None:
    done = kanon(
        "anonymize", "patients.csv", "-o", "out.csv", *QI, *KEEP, "--sensitive", "disease", "--t", "1/4", "--metric", "ordered"
    )
    assert (done.returncode, done.stderr) == (0, KEPT)
    assert "t(disease, 'ordered') <= 1/4" in done.stdout
    whole = sum(classes(folder / "out.csv"), Counter())
    for each in classes(folder / "out.csv"):
        ahead = [Fraction(each[value], each.total()) - Fraction(whole[value], 60) for value in sorted(DISEASES)]
        assert abs(ahead[0]) + abs(ahead[0] + ahead[1]) <= 2 * Fraction(1, 4)


@pytest.mark.everything
@pytest.mark.parametrize(
    ("options", "guarantee"),
    [
        (("--metric", "hierarchical", "--hierarchy", "tree.csv"), "t(disease, 'hierarchical', 'tree') <= 3/10"),
        (("--metric", "far.csv"), "t(disease, 'far') <= 3/10"),
    ],
)
def test_trees_and_distances_are_files(
    kanon: Kanon, patients: Path, folder: Path, options: tuple[str, ...], guarantee: str
) -> None:
    close = ("--sensitive", "disease", "--t", "0.3", *options)
    done = kanon("anonymize", "patients.csv", "-o", "out.csv", "--certificate", "c.json", *QI, *KEEP, *close)
    assert (done.returncode, done.stderr) == (0, KEPT)
    assert json.loads((folder / "c.json").read_text())["requirements"] == ["k >= 2", guarantee]
    assert kanon("audit", "out.csv", *QI, *close).returncode == 0


@pytest.mark.everything
def test_every_column_that_is_not_sensitive_is_a_quasi_identifier(kanon: Kanon, patients: Path, folder: Path) -> None:
    done = kanon("anonymize", "patients.csv", "-o", "out.csv", "-q", "--sensitive", "disease", "--l", "1")
    assert (done.returncode, done.stderr) == (0, "")
    rows = Counter((row["zip"], row["age"], row["nr"]) for row in csv.DictReader((folder / "out.csv").read_text().splitlines()))
    assert min(rows.values()) >= 2


@pytest.mark.everything
def test_the_audit_tells_diversity_and_closeness(kanon: Kanon, patients: Path) -> None:
    done = kanon("audit", "patients.csv", *QI, "--sensitive", "disease")
    assert (done.returncode, done.stderr) == (0, UNCOUNTED)
    for title in ("k-anonymity", "risk of re-identification", "l-diversity", "t-closeness", "frequency_l", "t_numerator"):
        assert title in done.stdout
    plain = kanon("audit", "patients.csv", *QI).stdout
    assert "l-diversity" not in plain
    assert done.stdout.startswith(plain)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--l", "4", "--variant", "distinct"], "l(disease, 'distinct') >= 4 does not hold"),
        (["--l", "3"], "l(disease) >= 3 does not hold"),
        (["--beta", "0.1"], "beta(disease) <= 1/10 does not hold: the greatest gain is"),
        (["--delta", "0.1"], "delta(disease) <= 1/10 does not hold"),
        (["--l", "3", "--variant", "recursive", "--c", "1/9"], "l(disease, 'recursive', 1/9) >= 3 does not hold"),
        (["--t", "0"], "t(disease) <= 0 does not hold"),
        (["--t", "0", "--metric", "far.csv"], "t(disease, 'far') <= 0 does not hold"),
        (["--metric", "numeric"], "numbers"),
        (["--metric", "other"], "other is neither a metric nor a file"),
        (["--metric", "ordred"], "ordred is neither a metric nor a file; hint: did you mean ordered?"),
        (["--c", "3"], "c has no effect without l"),
    ],
)
def test_a_broken_or_senseless_guarantee_is_one_line(kanon: Kanon, patients: Path, options: list[str], says: str) -> None:
    done = kanon("audit", "patients.csv", *QI, "--sensitive", "disease", *options)
    assert done.returncode == (1 if "does not hold" in says else 3)
    *warnings, error = done.stderr.splitlines()
    assert error.startswith("error: ")
    assert all(each.startswith("warning: nr singles out") for each in warnings)
    assert len(warnings) <= 1
    assert says in done.stderr
    assert not any(disease in done.stderr for disease in DISEASES)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("guarantee", "beside"),
    [
        (("--l", "3/2"), ()),
        (("--l", "3", "--variant", "distinct"), ()),
        (("--l", "2", "--variant", "entropy"), ()),
        (("--l", "2", "--variant", "recursive", "--c", "3"), ()),
        (("--t", "0.25"), ()),
        (("--t", "0.2", "--metric", "far.csv"), ("--metric", "far.csv")),
        (("--t", "0.2", "--metric", "hierarchical", "--hierarchy", "tree.csv"), ("--hierarchy", "tree.csv")),
    ],
)
def test_verify_measures_the_guarantee_again(
    kanon: Kanon, patients: Path, folder: Path, guarantee: tuple[str, ...], beside: tuple[str, ...]
) -> None:
    # Who lives in one place mostly has one disease.
    rows = [f"{n % 3},{n // 3 % 4},{DISEASES[(n + (n >= 54)) % 3]},{n}" for n in range(72)]
    patients.write_text("\n".join(["zip,age,disease,nr", *rows]) + "\n")
    asked = ("anonymize", "patients.csv", *QI, *KEEP, "--k", "3", "--algorithm", "greedy")
    made = kanon(*asked, "-o", "out.csv", "--sensitive", "disease", *guarantee, "--certificate", "cert.json")
    assert (made.returncode, made.stderr) == (0, KEPT)
    kept = kanon("verify", "patients.csv", "out.csv", "cert.json", *beside)
    assert (kept.returncode, kept.stderr) == (0, "")
    assert kanon(*asked, "--keep", "disease", "-o", "other.csv").returncode == 0
    broken = kanon("verify", "patients.csv", "other.csv", "cert.json", *beside)
    assert broken.returncode == 1
    line = next(
        n for n, text in enumerate((folder / "cert.json").read_text().split("\n"), 1) if text.startswith('  "requirements"')
    )
    assert f"line {line}" in broken.stderr
    assert "does not hold" in broken.stderr
    assert not any(disease in broken.stderr for disease in DISEASES)
