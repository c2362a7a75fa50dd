"""The pages: measured figures in, one HTML text out, in which every name and value is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import jinja2

from kanon_sql.model.printable import printable, without_controls
from kanon_sql.report import charts
from kanon_sql.report.cautions import first_sentences
from kanon_sql.report.claims import Claim
from kanon_sql.report.columns import MAX_BARS, Bar, Column
from kanon_sql.report.first_screen import first_screen
from kanon_sql.report.measured import Measured
from kanon_sql.report.sensitive import Sensitive
from kanon_sql.report.statement import statement
from kanon_sql.report.unit import percent_of
from kanon_sql.report.verdict import summary, verdict

_OF_ROWS = "share of the rows"

_LONGEST_TITLE = 24
"""Characters of a name that titles an axis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What its author says of a release; what is left out is a blank to be filled in on paper."""

    title: str | None = None  # what is released
    purpose: str | None = None  # what for
    recipient: str | None = None  # to whom


def report_page(
    facts: Measured,
    *,
    claims: Sequence[Claim],
    certificate: Iterable[tuple[str, str]],
    origins: Iterable[tuple[str, str]],
    about: About,
    released: str | None = None,
) -> str:
    """Return the page about a release.

    Parameters
    ----------
    claims : sequence of Claim
        What a certificate says that was counted again.
    certificate : iterable of (str, str)
        What it says besides; none without a certificate.
    origins : iterable of (str, str)
        By what the tables are recognized, and what made the page.
    about : About
        What the page is headed by.
    released : str, optional
        The name of the released table.
    """
    plots: dict[str, Any] = {
        "classes": _paired(facts, "Rows by the size of their class", facts.class_sizes, "rows of the class", wide=True),
        "suppressed": _suppressed(facts),
        "columns": [_paired(facts, f"Rows by value of {each.name}", each.bars, _along(each)) for each in facts.columns],
        "distances": [_distances(facts, each) for each in facts.sensitive],
    }
    if not facts.rows:
        plots = {"classes": None, "suppressed": None, "columns": [], "distances": []}
    return render(
        "report.html.j2",
        facts=facts,
        about=about,
        verdict_of=verdict(facts, claims),
        caveats=first_sentences(facts),
        first_screen=first_screen(facts, released, certified=bool(claims)),
        summary=summary(facts, claims),
        statement=statement(facts, claims),
        claims=claims,
        certificate=list(certificate),
        origins=list(origins),
        plots=plots,
        risk=_risk(facts),
        loss=_loss(facts),
        suppressed=[
            (each.name, count(each.suppressed), share(each.suppressed, facts.rows), count(each.coarsened), count(each.empty))
            for each in facts.columns
        ],
        exposed=_exposed(facts),
        masks=_masks(facts),
        bars_of=_bar_rows,
        distances_of=_distance_rows,
        max_bars=MAX_BARS,
    )


def frontier_page(
    *,
    summary: Sequence[str],
    plot: str | None,
    risk: str | None,
    useful: str | None,
    lines: Mapping[str, str],
    over: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    settings: Sequence[tuple[str, str]],
) -> str:
    """Return the page about the price of guarantees.

    Parameters
    ----------
    summary : sequence of str
        The curve in plain sentences.
    plot, risk : str, optional
        The curve, and the risk against the loss, as SVG.
    useful : str, optional
        The risk against the error of the queries, as SVG.
    lines : mapping
        The colours of its lines by what they are.
    over : str
        The guarantee that varies along it.
    heads, rows : sequences
        The table of its points.
    settings : sequence of (str, str)
        How they were found.
    """
    shown = {"summary": summary, "plot": plot, "risk": risk, "useful": useful, "lines": lines, "over": over}
    return render("frontier.html.j2", **shown, heads=heads, rows=rows, settings=settings)


def count(number: int | None) -> str:
    """Return a whole number for people."""
    return "-" if number is None else f"{number:,}"


def share(part: float | None, whole: float = 1) -> str:
    """Return a share in percent."""
    return "-" if part is None or not whole else f"{part / whole:.2%}"


def render(name: str, **values: object) -> str:
    """Return a page from its template; values are escaped."""
    folder = files("kanon_sql.report")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda each: folder.joinpath(each).read_text(encoding="utf-8")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"count": count, "printable": printable}
    return without_controls(environment.get_template(name).render(**values))


def _bar_rows(bars: Iterable[Bar]) -> list[tuple[str, str, str]]:
    return [(bar.label, count(bar.before), count(bar.after)) for bar in bars]


def _distance_rows(sensitive: Sensitive) -> list[tuple[str, str]]:
    return [(bar.label, count(bar.after)) for bar in sensitive.distances]


def _risk(facts: Measured) -> list[tuple[str, str, str]]:
    shares = {
        "prosecutor: the worst row": "prosecutor_risk",
        "prosecutor: the average row": "prosecutor_risk_average",
        "journalist: the worst row": "journalist_risk",
        "marketer: rows linked correctly": "marketer_risk",
        "rows with a risk above 20 %": "share_above_0_2",
        "rows with a risk above 5 %": "share_above_0_05",
        "rows that are unique": "uniques_share",
    }
    counts = {"classes": "classes", "rows of the smallest class": "k", "rows of the largest class": "largest_class"}
    rows = [*_of_people(facts), *((what, *(share(each[name]) for each in facts.risk)) for what, name in shares.items())]
    rows.append(("unique rows", *(count(each["uniques"]) for each in facts.risk)))
    rows += [(what, *(count(each[name]) for each in facts.sizes)) for what, name in counts.items()]
    averages = (each["average_class_size"] for each in facts.sizes)
    rows.append(("rows of the average class", *("-" if each is None else f"{each:,.1f}" for each in averages)))
    return rows  # type: ignore[return-value]


def _of_people(facts: Measured) -> list[tuple[str, str, str]]:
    """Return the figures of people; whose the rows of a class are is only known in the source, and bounded in the release."""
    source, unit = facts.unit.source, facts.unit
    if source is None:
        return []
    return [
        ("people", count(source["people"]), count(source["people"])),
        ("people of the smallest class", count(source["k"]), unit.smallest if unit.fewest or unit.stated else "-"),
        ("prosecutor: the person at most risk", share(source["prosecutor_risk"]), percent_of(unit)),
        ("prosecutor: the average person", share(source["prosecutor_risk_average"]), "-"),
    ]


def _loss(facts: Measured) -> list[tuple[str, str]]:
    found: Mapping[str, Any] = facts.utility

    def number(name: str) -> str:
        return "-" if found[name] is None else f"{found[name]:.4g}"

    return [
        (
            "suppressed cells",
            f"{count(found['suppressed_cells'])} of {count(found['cells'])}: {share(found['suppressed_share'])}",
        ),
        ("generalized cells", count(found["generalized_cells"])),
        ("normalized certainty penalty", f"{number('ncp')} (mean loss of a cell: 0 unchanged, 1 suppressed)"),
        ("discernibility", f"{count(found['discernibility'])} (sum of the squared class sizes)"),
        ("usefulness", f"{number('usefulness')} of {len(facts.columns)} (0 is best)"),
    ]


def _exposed(facts: Measured) -> list[tuple[str, str, str, str, str]]:
    roles = {"unlisted": "none", "kept": "KEEP", "sensitive": "sensitive", "token": "AS PSEUDONYM"}
    rows = []
    for each in facts.exposed:
        back = ", ".join(f"{printable(name)} {part:.1%}" for name, part in each.given_back)
        rows.append((printable(each.name), roles[each.role], count(each.single), share(each.single, each.rows), back or "-"))
    if (all_of := facts.together) is not None:
        whole = len(all_of.columns) == len(rows)
        what = f"these {len(all_of.columns)} columns together" if whole else "all except sensitive columns and tokens together"
        rows.append((what, "-", count(all_of.single), share(all_of.single, all_of.rows), "-"))
    return rows


def _masks(facts: Measured) -> list[tuple[str, str, str]]:
    rows = [
        (", ".join(map(printable, mask.hidden)) or "none", count(mask.rows), share(mask.rows, facts.rows))
        for mask in facts.masks
    ]
    if (others := facts.other_masks) is not None:
        rows.append(("other combinations", count(others.rows), share(others.rows, facts.rows)))
    return rows


def _paired(facts: Measured, title: str, bars: Sequence[Bar], along: str, *, wide: bool = False) -> str:
    series = [(charts.BEFORE, _shares(facts, [bar.before for bar in bars]))]
    series.append((charts.AFTER, _shares(facts, [bar.after for bar in bars])))
    return charts.bars(title, [bar.label for bar in bars], series, along=along, of=_OF_ROWS, wide=wide)


def _distances(facts: Measured, each: Sensitive) -> str:
    labels, series = (
        [bar.label for bar in each.distances],
        [(charts.AFTER, _shares(facts, [bar.after for bar in each.distances]))],
    )
    return charts.bars(f"Rows by distance of {each.name}", labels, series, along="distance of the class", of=_OF_ROWS)


def _suppressed(facts: Measured) -> str:
    names = [printable(each.name) for each in facts.columns]
    series = [(charts.AFTER, _shares(facts, [each.suppressed for each in facts.columns]))]
    title, of = "Share of suppressed cells by column", "suppressed cells"
    return charts.bars(title, names, series, along="column", of=of, wide=True)


def _shares(facts: Measured, counts: Iterable[int | None]) -> list[float | None]:
    return [None if number is None or not facts.rows else number / facts.rows for number in counts]


def _along(column: Column) -> str:
    """Return the title of the axis of a column's values: its name, where that is short."""
    name = printable(column.name)
    return name if len(name) <= _LONGEST_TITLE else ("interval" if column.binned else "value")
