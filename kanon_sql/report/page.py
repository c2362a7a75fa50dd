"""The pages: measured figures in, one HTML text out, in which every name and value is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import jinja2

from kanon_sql.report import charts
from kanon_sql.report.columns import MAX_BARS, Bar
from kanon_sql.report.measured import Measured
from kanon_sql.report.sensitive import Sensitive
from kanon_sql.report.text import printable


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A figure of a certificate beside the same figure, counted again.

    Attributes
    ----------
    name : str
        What it is.
    claimed, counted : str
        Both figures.
    holds : bool
        Whether they agree.
    """

    name: str
    claimed: str
    counted: str
    holds: bool


def report_page(
    facts: Measured,
    *,
    claims: Sequence[Claim],
    certificate: Iterable[tuple[str, str]],
    origins: Iterable[tuple[str, str]],
) -> str:
    """Return the page about a release.

    Parameters
    ----------
    facts : Measured
        What was counted.
    claims : sequence of Claim
        What a certificate says that was counted again.
    certificate : iterable of (str, str)
        What it says besides; none without a certificate.
    origins : iterable of (str, str)
        By what the tables are recognized, and what made the page.
    """
    plots = {
        "classes": _paired("Rows by the size of their class", facts.class_sizes) if facts.rows else None,
        "suppressed": _suppressed(facts) if facts.rows else None,
        "columns": [_paired(f"Rows by value of {each.name}", each.bars) for each in facts.columns] if facts.rows else [],
        "distances": [_single(f"Rows by distance of {each.name}", each.distances) for each in facts.sensitive],
    }
    return _render(
        "report.html.j2",
        facts=facts,
        holds=kept(facts, claims),
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
        masks=_masks(facts),
        bars_of=_bar_rows,
        distances_of=_distance_rows,
        max_bars=MAX_BARS,
    )


def frontier_page(
    *,
    plot: str | None,
    lines: Mapping[str, str],
    over: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    settings: Sequence[tuple[str, str]],
) -> str:
    """Return the page about the price of guarantees.

    Parameters
    ----------
    plot : str, optional
        The curve as SVG.
    lines : mapping
        The colours of its lines by what they are.
    over : str
        The guarantee that varies along it.
    heads, rows : sequences
        The table of its points.
    settings : sequence of (str, str)
        How they were found.
    """
    return _render("frontier.html.j2", plot=plot, lines=lines, over=over, heads=heads, rows=rows, settings=settings)


def kept(facts: Measured, claims: Iterable[Claim]) -> bool:
    """Tell whether every guarantee is kept, and every claim holds that was counted again."""
    return all(requirement.kept for requirement in facts.requirements) and all(claim.holds for claim in claims)


def count(number: int | None) -> str:
    """Return a whole number for people."""
    return "-" if number is None else f"{number:,}"


def share(part: float | None, whole: float = 1) -> str:
    """Return a share in percent."""
    return "-" if part is None or not whole else f"{part / whole:.2%}"


def _render(name: str, **values: object) -> str:
    folder = files("kanon_sql.report")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda each: folder.joinpath(each).read_text(encoding="utf-8")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"count": count, "printable": printable}
    return environment.get_template(name).render(**values)


def _bar_rows(bars: Iterable[Bar]) -> list[tuple[str, str, str]]:
    return [(bar.label, count(bar.before), count(bar.after)) for bar in bars]


def _distance_rows(sensitive: Sensitive) -> list[tuple[str, str]]:
    return [(bar.label, count(bar.after)) for bar in sensitive.distances]


def _risk(facts: Measured) -> list[tuple[str, str, str]]:
    shares = {
        "prosecutor: the worst row": "prosecutor_risk",
        "prosecutor: the average row": "prosecutor_risk_average",
        "journalist: the worst row": "journalist_risk",
        "marketer: rows linked rightly": "marketer_risk",
        "rows with a risk above 20 %": "share_above_0_2",
        "rows with a risk above 5 %": "share_above_0_05",
        "rows that are unique": "uniques_share",
    }
    counts = {"classes": "classes", "rows of the smallest class": "k", "rows of the largest class": "largest_class"}
    rows = [(what, *(share(each[name]) for each in facts.risk)) for what, name in shares.items()]
    rows.append(("unique rows", *(count(each["uniques"]) for each in facts.risk)))
    rows += [(what, *(count(each[name]) for each in facts.sizes)) for what, name in counts.items()]
    averages = (each["average_class_size"] for each in facts.sizes)
    rows.append(("rows of the average class", *("-" if each is None else f"{each:,.1f}" for each in averages)))
    return rows  # type: ignore[return-value]


def _loss(facts: Measured) -> list[tuple[str, str]]:
    found: Mapping[str, Any] = facts.utility

    def number(name: str) -> str:
        return "-" if found[name] is None else f"{found[name]:.4g}"

    return [
        (
            "suppressed cells",
            f"{count(found['suppressed_cells'])} of {count(found['cells'])}: {share(found['suppressed_share'])}",
        ),
        ("cells made coarser", count(found["generalized_cells"])),
        ("normalized certainty penalty", f"{number('ncp')} (mean loss of a cell: 0 as it was, 1 suppressed)"),
        ("discernibility", f"{count(found['discernibility'])} (sum of the squared sizes of the classes)"),
        ("usefulness", f"{number('usefulness')} of {len(facts.columns)} (0 is best)"),
    ]


def _masks(facts: Measured) -> list[tuple[str, str, str]]:
    rows = [
        (", ".join(map(printable, mask.hidden)) or "nothing hidden", count(mask.rows), share(mask.rows, facts.rows))
        for mask in facts.masks
    ]
    if (others := facts.other_masks) is not None:
        rows.append(("other combinations", count(others.rows), share(others.rows, facts.rows)))
    return rows


def _paired(title: str, bars: Sequence[Bar]) -> str:
    before, after = [bar.before for bar in bars], [bar.after for bar in bars]
    series: list[tuple[str, Sequence[float | None]]] = [(charts.BEFORE, before), (charts.AFTER, after)]
    return charts.bars(title, [bar.label for bar in bars], series)


def _single(title: str, bars: Sequence[Bar]) -> str:
    return charts.bars(title, [bar.label for bar in bars], [(charts.AFTER, [bar.after for bar in bars])])


def _suppressed(facts: Measured) -> str:
    names = [printable(each.name) for each in facts.columns]
    series = [(charts.AFTER, [each.suppressed / facts.rows for each in facts.columns])]
    return charts.bars("Share of suppressed cells by column", names, series, share=True)
