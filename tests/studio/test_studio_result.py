"""The page Result: each figure against an independent count, rows side by side, runs, and the page in a browser."""

from __future__ import annotations

import random
import re
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from statistics import mean
from typing import Any

import duckdb
import pytest
from axe import axe, chromium, violations
from studio.test_studio_browser import studio

from kanon_sql import compare
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.studio.comparing import compare_runs
from kanon_sql.studio.curve import best, curve
from kanon_sql.studio.draft import IDENTIFIER, QUASI_IDENTIFIER, Draft
from kanon_sql.studio.frontier import frontier
from kanon_sql.studio.look import attacker, counted_exactly, learned, look, open_columns, suppressed_by
from kanon_sql.studio.pages.attacker import finds
from kanon_sql.studio.plain_verdict import COLOURS, empty_before, messages, sentences, tiles, verdict_of
from kanon_sql.studio.run import Run
from kanon_sql.studio.search import RELEASED, Point
from kanon_sql.studio.session import Session
from kanon_sql.studio.side_by_side import CHANGED, GONE, SAME, Aligning, pairs
from kanon_sql.studio.ways_out import remedies

QI = ("zip", "age", "sex")

CLAUSE = "FROM visits ANONYMIZE BY zip, age, sex GUARANTEE k >="

ROWS, PEOPLE = f"SELECT * EXCLUDE (patient) {CLAUSE} 4 PER ROW", f"SELECT * {CLAUSE} 6 PER patient"
"""Releases that count rows, and people."""


def ended(session: Session, text: str, name: str) -> Run:
    session.draft = session.draft.read(text)
    run = Run(len(session.runs) + 1, name, session.draft)
    done = threading.Event()
    run.start(session.source, ended=done.set)
    assert done.wait(180)
    assert run.state == RELEASED, run.words
    session.runs.append(run)
    return run


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Visits of 130 patients; some ages are empty."""
    draw = random.Random(3)
    rows = []
    for patient in range(130):
        own = (f"P{patient}", draw.choice("123"), draw.choice([30, 40, 50, "", 60]), draw.choice("fm"))
        rows += [(*own, draw.choice(["flu", "flu", "gout", "ulcer"])) for _ in range(draw.randint(1, 4))]
    draw.shuffle(rows)
    path = tmp_path_factory.mktemp("result") / "visits.csv"
    lines = ["patient,zip,age,sex,disease", *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def session(file: Path) -> Iterator[Session]:
    found = Session()
    found.open(Place.of(str(file)))
    ended(found, ROWS, "rows")
    ended(found, PEOPLE, "people")
    yield found
    found.close()


def rows_of(session: Session) -> list[dict[str, Any]]:
    """Return the rows of the file, with None for empty cells."""
    return session.source.before("FROM visits").to_pylist()


def classes(rows: list[dict[str, Any]], names: tuple[str, ...] = QI) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    found = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in names)].append(row)
    return found


def test_the_figures_of_rows(session: Session) -> None:
    """Brute force over the released rows; the certificate counts suppressed empty cells, too."""
    run = session.runs[0]
    facts, (certificate, table) = session.look(run), run.release
    source, released = rows_of(session), table.to_pylist()
    sizes = [len(each) for each in classes(released).values()]
    risk = mean(1 / len(classes(released)[tuple(row[name] for name in QI)]) for row in released)
    cells = 3 * len(released)
    told = {tile.name.partition(";")[0].partition(":")[0]: tile.value for tile in tiles(certificate, facts)}
    assert told == {
        "people released, one row each": str(len(source)),
        "people in the smallest class": str(min(sizes)),
        "highest risk of a person": f"{1 / min(sizes):.1%}",
        "average risk of a person": f"{risk:.1%}",
        "of the protected cells suppressed": f"{certificate.suppressed_cells / cells:.1%}",
        "of them generalized": "0.0%",
    }
    empty = [sum(row[name] is None for row in rows for name in QI) for rows in (source, released)]
    lost = empty[1] - empty[0]
    assert sum(each.suppressed for each in facts.columns) == lost
    for each in facts.columns:
        values = [Counter(str(row[each.name]) for row in rows if row[each.name] is not None) for rows in (source, released)]
        assert each.distinct == tuple(map(len, values))
        assert each.suppressed == values[0].total() - values[1].total()
        shown = {bar.label: (bar.before, bar.after) for bar in each.bars[:-2]}
        assert shown == {label: (values[0][label], values[1][label]) for label in shown}
    assert sum(bar.after for bar in facts.class_sizes) == sum(sizes) == len(released)
    for bar in facts.class_sizes:
        low, _, high = bar.label.partition(" to ")
        assert bar.after == sum(size for size in sizes if int(low) <= size <= int(high or low))
    masks = Counter(tuple(name for name in QI if row[name] is None) for row in released)
    assert {mask.hidden: mask.rows for mask in facts.masks} == {each: n for each, n in masks.items() if n >= 4}
    other = certificate.suppressed_cells - lost
    assert 0 <= other <= empty[0]
    assert (empty_before(certificate, facts) or "0").split()[0] == str(other)
    assert certificate.cost == certificate.suppressed_cells


def test_the_verdict_says_what_the_report_says(session: Session) -> None:
    for run, alike in zip(session.runs, ("is the same as at least", "is shared by at least"), strict=True):
        certificate, facts = run.release[0], session.look(run)
        first, second = sentences(certificate, facts)
        assert COLOURS[verdict_of(certificate, facts).colour] == "good"
        assert alike in first
        assert second.startswith(f"{certificate.suppressed_share:.1%} of the protected cells were suppressed")
        proven = re.search(r"at least ([0-9.]+)% had to be", second)
        assert (
            ("No release" in second)
            if proven is None
            else float(proven[1]) / 100 * certificate.cells <= certificate.lower_bound
        )
        assert messages(certificate, facts) == []


def test_the_figures_of_people(session: Session) -> None:
    """The certificate has the people of the smallest group; the source is counted here."""
    run = session.runs[1]
    facts, (certificate, _) = session.look(run), run.release
    people = defaultdict(set)
    for key, rows in classes(rows_of(session)).items():
        people[key] = {row["patient"] for row in rows}
    of_person = defaultdict(list)
    for found in people.values():
        for patient in found:
            of_person[patient].append(len(found))
    told = [tile.value for tile in tiles(certificate, facts)]
    fewest = certificate.smallest_class_people
    assert fewest >= 6
    alone = sum(min(sizes) == 1 for sizes in of_person.values())
    assert told[:4] == ["130", str(fewest), f"{1 / fewest:.1%}", str(alone)]
    before, after, counted = attacker(session.source, run, ["zip", "sex"])
    alike = defaultdict(set)
    for row in rows_of(session):
        alike[row["zip"], row["sex"]].add(row["patient"])
    assert (before, after, counted) == (min(map(len, alike.values())), fewest, True)
    said = finds(["zip", "sex"], before, after, people=True)
    assert said == f"Someone who knows zip and sex of a person finds at least {fewest} people. In the source, it was {before}."


def test_what_an_attacker_learns_and_the_groups(session: Session) -> None:
    run = session.runs[0]
    released = run.release[1].to_pylist()
    assert open_columns(run) == ["disease"]
    (found,) = learned(run, ["zip", "age"], ["disease"])
    counts = [Counter(row["disease"] for row in rows) for rows in classes(released, ("zip", "age")).values()]
    tops = [(max(each.values()), each.total()) for each in counts]
    assert found.largest == max(top / size for top, size in tops)
    assert (found.rows, found.largest) in {(size, top / size) for top, size in tops}
    assert found.guessed == pytest.approx(sum(top for top, _ in tops) / len(released))
    assert found.certain == sum(size for top, size in tops if top == size)
    assert found.before == max(Counter(row["disease"] for row in released).values()) / len(released)
    assert learned(run, [], ["disease"])[0].largest == found.before
    groups, facts = suppressed_by(session.source, run, "disease"), session.look(run)
    assert {each.value: each.rows for each in groups} == Counter(row["disease"] for row in rows_of(session))
    lost = sum(each.suppressed for each in facts.columns)
    assert sum(3 * each.rows * each.suppressed for each in groups) == pytest.approx(lost)
    assert not counted_exactly(facts, "disease")  # some ages were empty


def test_rows_side_by_side(session: Session) -> None:
    """Each released row is below its own: what is released unchanged agrees, and nothing else than protected cells changes."""
    for run in session.runs:
        aligning = Aligning(session.source, run)
        assert aligning.refusal is None
        aligning.align()
        names, found = pairs(session.source, run, most=10_000)
        source = rows_of(session)
        assert [[cell.before for cell in pair.cells] for pair in found] == [[row[name] for name in names] for row in source]
        after = Counter(tuple(cell.after for cell in pair.cells) for pair in found)
        assert after == Counter(tuple(row[name] for name in names) for row in run.release[1].to_pylist())
        for pair in found:
            for name, cell in zip(names, pair.cells, strict=True):
                assert cell.state in ((SAME, GONE, CHANGED) if name in QI else (SAME,))
                assert (cell.state == GONE) == (cell.before is not None and cell.after is None)
        _, changed = pairs(session.source, run, only_changed=True, most=7)
        assert changed == [pair for pair in found if any(cell.state != SAME for cell in pair.cells)][:7]


def test_rows_that_cannot_be_matched(session: Session) -> None:
    run = session.runs[0]
    early = Run(9, "early", run.draft)
    early.state, early.proof, early.rows, early.finished = RELEASED, run.proof, run.rows, True
    assert "stopped early" in (Aligning(session.source, early).refusal or "")
    with pytest.raises(SourceError, match="stopped early"):
        Aligning(session.source, early).align()
    other = Run(9, "other", run.draft)
    other.state, other.proof, other.rows = RELEASED, run.proof, session.runs[1].rows
    with pytest.raises(SourceError, match="another release"):
        Aligning(session.source, other).align()
    with pytest.raises(SourceError, match="not matched yet"):
        pairs(session.source, other)


def test_a_curve_is_never_below_the_bound(session: Session) -> None:
    for run in session.runs:
        certificate = run.release[0]
        found = curve(run)
        assert found[-1][1:] == (float(certificate.cost), float(certificate.lower_bound))
        bounds = [bound for _, _, bound in found if bound is not None]
        assert all(cost is None or cost >= max(bounds) for _, cost, _ in found)
    running = Run(1, "running", session.draft)
    running.points = [Point(1, "a part", 3.0, None), Point(2, "all", 9.0, 4.0), Point(3, "all", 8.0, 5.0)]
    assert curve(running) == [(1, None, None), (2, 9.0, 4.0), (3, 8.0, 5.0)]
    assert best(running) == (8.0, 5.0)


def test_runs_are_compared_as_the_command_does(session: Session) -> None:
    queries = "SELECT zip, count(*) FROM t WHERE sex = 'f' GROUP BY zip"
    found = compare_runs(session.source, session.runs, queries)
    with duckdb.connect() as con:
        source = con.sql(f"FROM '{session.source.place.path}'").to_arrow_table()
    releases = {run.name: run.release[1] for run in session.runs}
    again = compare(source, releases, quasi_identifiers=QI, queries=queries, per="patient")
    assert [each.error for each in found.releases] == pytest.approx([each.error for each in again.releases])
    assert [each.suppressed for each in found.releases] == [each.suppressed for each in again.releases]
    points = frontier(session.source, session.runs, queries)
    assert [each.error for each in points] == pytest.approx([each.error for each in found.releases])
    for point, run in zip(points, session.runs, strict=True):
        assert Fraction(point.suppressed).limit_denominator(10_000) == Fraction(
            run.release[0].suppressed_cells, run.release[0].cells
        )
    grouped = Run(3, "grouped", session.draft.read("SELECT DISTINCT zip, age FROM visits ANONYMIZE BY zip GUARANTEE k >= 2"))
    with pytest.raises(PolicyError, match="different queries"):
        compare_runs(session.source, [session.runs[0], grouped])


def test_many_columns_have_one_button(session: Session) -> None:
    names = [f"c{number}" for number in range(60)]
    draft = Draft.of("wide", names, session.draft.policy)
    found = remedies(
        draft, f"60 columns have no role and identify people: {', '.join(names)} together single out 9.0% of the rows"
    )
    assert [each.label for each in found] == [
        "Make these 60 columns quasi-identifiers",
        "Drop these 60 columns",
        "Release these 60 columns unchanged",
    ]
    assert {found[1].change(draft).role(name) for name in names} == {IDENTIFIER}
    one = remedies(draft, "c1 singles out 25.0% of the rows")
    assert [each.label for each in one] == ["Make c1 a quasi-identifier", "Drop c1"]
    assert one[0].change(draft).role("c1") == QUASI_IDENTIFIER


def test_a_caution_is_the_headline(session: Session) -> None:
    run = Run(9, "unprotected", session.draft.read(ROWS.replace("4 PER", "1 PER")))
    done = threading.Event()
    run.start(session.source, ended=done.set)
    assert done.wait(180)
    facts, (certificate, _) = look(session.source, run), run.release
    assert COLOURS[verdict_of(certificate, facts).colour] == "warn"
    assert sentences(certificate, facts)[0].startswith("Caution: ")
    assert "Source and release have the same rows, so both reveal the same." in messages(certificate, facts)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.mark.everything
def test_the_page(browser: Any, file: Path, tmp_path: Path) -> None:
    """From the button to the verdict, each tab, a changed setting, and another run: on a phone, in the dark."""
    with studio(str(file), folder=tmp_path) as address:
        root = address.partition("/?")[0]
        tab = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark").new_page()
        tab.set_default_timeout(90_000)
        errors: list[str] = []
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.goto(address)

        def judged() -> None:
            tab.wait_for_timeout(1_500)  # what loads and moves has ended
            assert tab.evaluate("document.documentElement.scrollWidth") <= 390
            assert violations(tab, axe()) == []

        tab.goto(f"{root}/result")
        tab.get_by_role("button", name="Anonymize", exact=True).click()
        tab.get_by_role("button", name="Stop and keep the best").wait_for()
        judged()
        verdict = tab.locator("[data-part=verdict]")
        verdict.get_by_text("Every released row is shared by at least").wait_for()
        tab.get_by_text("How the search went").click()
        tab.get_by_text("lower bound", exact=True).first.wait_for()
        tab.get_by_role("tab", name="Rows side by side").click()
        assert tab.get_by_role("cell", name="flu").count() == 0
        tab.get_by_role("button", name="Show the rows").click()
        tab.get_by_text("Only changed rows").wait_for()
        assert tab.locator(".pairs tbody").count() == 50
        judged()
        for name, text in (
            ("Columns", "Values before and after"),
            ("Groups", "The most frequent values"),
            ("Sizes of classes", "Columns suppressed together"),
            ("Attacker", "of a person finds at least"),
            ("Runs", "Name of this run"),
        ):
            tab.get_by_role("tab", name=name, exact=True).click()
            tab.get_by_text(text).first.wait_for()
            judged()
        tab.goto(f"{root}/protection")
        k = tab.get_by_label("k", exact=True).first
        k.fill("8")
        k.press("Enter")
        tab.wait_for_timeout(1_000)
        tab.goto(f"{root}/result")
        tab.get_by_text("The settings have changed since this run.").wait_for()
        tab.get_by_role("button", name="Anonymize again").click()
        tab.wait_for_url("**/result")
        verdict.get_by_text("is shared by at least 8 people").wait_for()
        tab.get_by_role("tab", name="Runs", exact=True).click()
        tab.get_by_role("button", name="Compare").click()
        tab.get_by_text("Choose run").first.wait_for()
        tab.get_by_role("link", name="run 1").click()
        tab.get_by_text("run 1 (shown)").wait_for()
        judged()
        assert errors == []


@pytest.mark.everything
def test_a_refusal_ends_by_clicks(browser: Any, tmp_path: Path) -> None:
    rows = "SELECT i AS number, '98' || (hash(i) % 3) AS zip, 20 + i // 40 AS age FROM range(200) AS t(i)"
    with duckdb.connect() as con:
        con.execute(f"COPY ({rows}) TO $path (FORMAT csv, HEADER)", {"path": str(tmp_path / "people.csv")})
    with studio(str(tmp_path / "people.csv"), folder=tmp_path) as address:
        tab = browser.new_page()
        tab.set_default_timeout(90_000)
        tab.goto(address)
        root = address.partition("/?")[0]
        tab.goto(f"{root}/protection")
        tab.get_by_text("SQL of this step").click()
        code = tab.locator(".cm-content")
        code.click()
        tab.keyboard.press("Control+A")
        tab.keyboard.type("SELECT * FROM people ANONYMIZE BY zip, age GUARANTEE k >= 8 PER ROW")
        tab.wait_for_timeout(1_500)
        tab.get_by_role("button", name="Anonymize", exact=True).click()
        tab.get_by_role("button", name="Drop number").click()
        tab.get_by_text("The settings have changed since this run.").wait_for()
        tab.get_by_role("button", name="Anonymize again").click()
        tab.locator("[data-part=verdict]").get_by_text("is the same as at least").wait_for()
