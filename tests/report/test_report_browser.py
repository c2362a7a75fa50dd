"""The pages in a real browser: drawn, silent, without a network, in both colour schemes, as narrow as a phone."""

from __future__ import annotations

import colorsys
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from axe import axe, chromium, violations
from click.testing import CliRunner

import kanon_sql
from kanon_sql.cli import main
from kanon_sql.report import report
from kanon_sql.report.frontier import frontier, html_text


def people(rows: int = 300) -> pa.Table:
    draw = random.Random(3)
    names = ["zip", "age", "a column with quite a long name, as exports of forms have", "nowrap" * 12]
    columns = {name: [draw.choice(["Assoc-voc", "Some-college", "x" * 70, "東京", "7"]) for _ in range(rows)] for name in names}
    columns["age"] = [draw.randint(18, 90) for _ in range(rows)]
    return pa.table({**columns, "disease": [draw.choice(["flu", "ulcer"]) for _ in range(rows)]})


def page_about_counts(folder: Path, source: pa.Table) -> str:
    """Return the page about a table of counts, whose files are in a folder of their own."""
    (folder / "files").mkdir()
    files = [str(folder / "files" / name) for name in ("in.parquet", "out.parquet", "cert.json", "page.html")]
    duckdb.from_arrow(source).write_parquet(files[0])
    names = ",".join(f'"{name}"' for name in source.column_names[:3:2])
    asked = ["--by", f"{names},disease", "--certificate", files[2], "--time-limit", "5", "-q"]
    made, shown = ["protect", *files[:1], "-o", files[1], *asked], ["report", *files[:2], "-o", files[3]]
    for arguments in (made, [*shown, "--certificate", files[2]]):
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 0, done.output
    text = Path(files[3]).read_text()
    shutil.rmtree(folder / "files")
    return text


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    source = people()
    release = kanon_sql.anonymize(source, k=5, sensitive="disease", t=0.4, algorithm="greedy")
    points = frontier(source, k=(2, 5, 10), t=(0.5, 0.3), sensitive="disease", algorithm="greedy")
    folder = tmp_path_factory.mktemp("pages")
    named = source.append_column(
        "a name of a person that is written without a space, like " + "N" * 60, pa.array(map(str, range(300)))
    )
    kept = kanon_sql.anonymize(
        named,
        k=5,
        quasi_identifiers=["zip", "age"],
        keep=named.column_names[2:-2] + named.column_names[-1:],
        sensitive="disease",
        t=1,
    )
    texts = {
        "report": report(source, release),
        "caution": report(named, kept),
        "caution_undecided": report(named, kept.table, quasi_identifiers=["zip", "age"], k=5),
        "broken": report(source, source, k=5, sensitive="disease", l=3),
        "frontier": html_text(points, [("source", "s" * 200)]),
    }
    texts["table"] = page_about_counts(folder, source)
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text)
    return sorted(folder.iterdir())


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


LOOK = """() => {
    const styles = element => getComputedStyle(element)
    const boxes = [...document.querySelectorAll("svg")].map(svg => svg.getBoundingClientRect()).filter(box => box.width)
    const marks = [...document.querySelectorAll("svg .mark-rect path, svg .mark-line path")]
    const text = document.querySelector("svg text")
    return {
        width: document.documentElement.scrollWidth,
        twice: [...document.querySelectorAll("figure")].filter(each => each.querySelectorAll("svg.on-wide").length
            && [...each.querySelectorAll("svg")].filter(svg => svg.checkVisibility()).length != 1).length,
        broad: Math.max(...boxes.map(box => box.width)),
        plots: boxes.map(box => [box.width, box.height]),
        marks: marks.filter(mark => { const box = mark.getBoundingClientRect(); return box.width + box.height > 0 }).length,
        paints: [...new Set(marks.map(mark => styles(mark).fill + styles(mark).stroke))],
        text: styles(text).fill,
        ink: styles(document.body).color,
        paper: styles(document.documentElement).backgroundColor,
        soft: styles(document.querySelector("figcaption")).color,
        link: styles(document.querySelector("summary, main")).color,
        verdict: [...document.querySelectorAll(".verdict")].map(each =>
            [styles(each.querySelector("strong")).color, styles(each).backgroundColor, styles(each).borderLeftColor]),
    }
}"""


def luminance(colour: str) -> float:
    channels = [int(part) / 255 for part in colour.removeprefix("rgb(").rstrip(")").split(",")]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, as WCAG 2.2 defines it."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_a_page_is_drawn(browser: Any, pages: list[Path], scheme: str, width: int) -> None:
    for path in pages:
        tab = browser.new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
        said: list[str] = []
        tab.on("console", lambda message, said=said: said.append(message.text))
        tab.on("pageerror", lambda error, said=said: said.append(str(error)))
        tab.on("request", lambda request, said=said: said.append(request.url))
        tab.goto(path.as_uri())
        tab.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        seen = tab.evaluate(LOOK)
        assert said == [path.as_uri()]
        assert seen["width"] <= width
        assert seen["plots"]
        assert seen["twice"] == 0
        assert seen["broad"] > min(width, 960) * 0.9
        assert all(0 < across <= width and down > 50 for across, down in seen["plots"])
        assert seen["marks"] >= 3
        assert seen["text"] == seen["ink"]
        assert (luminance(seen["paper"]) > 0.5) == (scheme == "light")
        assert contrast(seen["ink"], seen["paper"]) >= 7
        assert contrast(seen["soft"], seen["paper"]) >= 4.5
        assert contrast(seen["link"], seen["paper"]) >= 4.5
        for headline, banner, bar in seen["verdict"]:
            assert contrast(headline, banner) >= 4.5
            assert contrast(bar, seen["paper"]) >= 3
        assert not any("var(" in paint for paint in seen["paints"])
        tab.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_no_violation(browser: Any, pages: list[Path], scheme: str, width: int) -> None:
    script = axe()
    for path in pages:
        # The script of the check is the only one: the page itself forbids any.
        tab = browser.new_page(viewport={"width": width, "height": 844}, color_scheme=scheme, bypass_csp=True)
        tab.goto(path.as_uri())
        tab.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert not violations(tab, script), path.name
        tab.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_banner_has_the_colour_of_its_verdict(browser: Any, pages: list[Path], scheme: str) -> None:
    """Green, amber and red: the hue of the bar in degrees."""
    hues = {"report": (90, 160), "table": (90, 160), "caution": (25, 50), "caution_undecided": (25, 50), "broken": (330, 370)}
    for path in pages:
        if path.stem == "frontier":
            continue
        tab = browser.new_page(color_scheme=scheme)
        tab.goto(path.as_uri())
        bar = tab.evaluate("getComputedStyle(document.querySelector('.verdict')).borderLeftColor")
        red, green, blue = (int(part) / 255 for part in bar.removeprefix("rgb(").rstrip(")").split(","))
        hue = 360 * colorsys.rgb_to_hls(red, green, blue)[0]
        low, high = hues[path.stem]
        assert low <= hue <= high or low <= hue + 360 <= high, path.stem
        tab.close()


def test_plots_are_told_to_screen_readers(browser: Any, pages: list[Path]) -> None:
    for path in pages:
        tab = browser.new_page()
        tab.goto(path.as_uri())
        for plot in tab.locator("svg").all():
            assert plot.get_attribute("aria-label")
            if not plot.is_visible():
                continue
            assert "img" in plot.aria_snapshot()
        tab.close()


def test_a_printed_page_shows_the_closed_tables(browser: Any, pages: list[Path]) -> None:
    tab = browser.new_page()
    tab.goto(next(path for path in pages if path.stem == "report").as_uri())
    shown = "[...document.querySelectorAll('details table')].%s(table => table.checkVisibility())"
    assert not tab.evaluate(shown % "some")
    tab.emulate_media(media="print")
    tab.wait_for_function(shown % "every", timeout=10_000)
    assert tab.pdf().startswith(b"%PDF")
    tab.close()
