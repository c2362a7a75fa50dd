"""The command that measures a table: ``kanon audit``."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.database_audit import shown_database
from kanon_sql.cli.option_groups import GroupedCommand
from kanon_sql.cli.options import (
    column_names,
    dialect_options,
    escape_option,
    json_option,
    per_row_option,
    qi_option,
    sensitive_options,
    show,
    table_option,
)
from kanon_sql.cli.publication import PATIENCE
from kanon_sql.cli.publish import metric_and_hierarchy
from kanon_sql.cli.streams import format_option, read_table, source_place
from kanon_sql.cli.terminal import busy
from kanon_sql.engines.duckdb.audit.measures import record
from kanon_sql.engines.duckdb.guarantees import audit_macros
from kanon_sql.engines.interrupt import interruptible
from kanon_sql.errors import AuditError, KanonWarning
from kanon_sql.model.requirements import THRESHOLDS
from kanon_sql.model.validation import as_identifier

if TYPE_CHECKING:
    from kanon_sql.engines.audited_unit import AuditedUnit
    from kanon_sql.engines.duckdb.files.dialect import Dialect

_LIMITS = ("k", *(next(iter(each.options)) for each in THRESHOLDS), "k_map", "presence", "max_risk", "max_unique_share")
"""Options whose thresholds a table can break."""

_RISK = "FROM reidentification_risk('source', $qi, population := $population, fraction := $fraction)"


@click.command(cls=GroupedCommand)
@click.argument("file")
@qi_option
@click.option("--k", type=int, metavar="K", help="Exit with code 1 if a class has fewer than K rows (with --per: people).")
@click.option(
    "--known",
    type=click.IntRange(1),
    metavar="M",
    help="Form classes from any M quasi-identifiers; the guarantees apply to these classes.",
)
@click.option(
    "--known-rows",
    type=click.IntRange(1, 3),
    metavar="M",
    help="With --per: --k is the minimum number of people who share any M rows of a person.",
)
@click.option("--per", metavar="A", help="Count people, identified by this column, instead of rows.")
@per_row_option
@click.option(
    "--max-risk",
    type=click.FloatRange(0, 1),
    metavar="RISK",
    help="Exit with code 1 if the prosecutor risk exceeds RISK; 0.2 requires classes of at least 5 rows (with --per: people).",
)
@click.option(
    "--max-unique-share",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="Exit with code 1 if more than this share of rows (with --per: people) is unique.",
)
@click.option("--population", metavar="FILE", help="Population table with the --qi columns, for the journalist risk.")
@click.option("--k-map", type=int, metavar="K", help="Exit with code 1 if a class matches fewer than K rows of --population.")
@click.option(
    "--presence",
    metavar="DELTA",
    help="Exit with code 1 if a person in --population is in FILE with a probability above DELTA.",
)
@click.option(
    "--fraction",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    help="Share of the population that FILE contains, used to estimate how many people are unique.",
)
@json_option
@sensitive_options
@table_option
@dialect_options
@escape_option("Pass this if FILE was written with --escape-formulas.")
@format_option
def audit(
    file: str,
    qi: tuple[str, ...],
    k: int | None,
    known: int | None,
    known_rows: int | None,
    per: str | None,
    per_row: bool,
    max_risk: float | None,
    max_unique_share: float | None,
    population: str | None,
    k_map: int | None,
    presence: str | None,
    fraction: float | None,
    as_json: bool,
    sensitive: str | None,
    metric: str | None,
    hierarchy: str | None,
    table: str | None,
    dialect: Dialect,
    escape_formulas: bool,
    ending: str,
    **thresholds: Any,
) -> None:
    """Measure the guarantees and risks of FILE.

    By default, measures k-anonymity and the risk of re-identification. --sensitive adds l-diversity and t-closeness, --beta
    adds beta-likeness, and --delta adds delta-disclosure privacy.

    With --per, classes and risks count people. If people seem to have several rows and neither --per nor --per-row is set,
    the first line starts with OPEN.

    A warning lists each column outside --qi that singles out too many rows. The figures do not include these columns.

    Exits with code 1 if FILE breaks --k, --l, --t, --beta, --delta, --k-map, --presence, --max-risk or --max-unique-share.
    Exits with code 3 if FILE cannot be measured, or if one of these limits is set and the first line starts with OPEN.
    """
    if shown_database(file, table, as_json):
        return
    import duckdb

    from kanon_sql.engines.audit_figures import FIRST, measured_requirements, too_few_known, too_small, unless_known
    from kanon_sql.engines.audited_unit import person_column
    from kanon_sql.engines.duckdb.audit.known_classes import broken_by_known
    from kanon_sql.engines.duckdb.audit.known_rows import KnownRows
    from kanon_sql.engines.duckdb.audit.measures import known_figures, macro_errors, populated
    from kanon_sql.engines.duckdb.audit.other_columns import warnings_of_others
    from kanon_sql.engines.duckdb.audit.people_figures import audited_unit, in_people, people_figures
    from kanon_sql.engines.duckdb.files.places import Place
    from kanon_sql.engines.duckdb.files.tables import columns, load_policy_table
    from kanon_sql.engines.duckdb.guarantees import figures as figures_of
    from kanon_sql.engines.duckdb.guarantees import figures_in
    from kanon_sql.engines.guarantees import audited
    from kanon_sql.model.how_many import how_many
    from kanon_sql.model.policy import Policy
    from kanon_sql.model.requirements import named_population
    from kanon_sql.model.validation import fraction as fraction_of

    everybody = {} if population is None else {"population": Place.of(population, dialect=dialect)}
    if k_map is not None and not everybody:
        raise click.UsageError("--k-map needs a population; hint: pass --population census.csv")
    names, hierarchies = metric_and_hierarchy(metric, hierarchy, dialect)
    if presence is not None and not everybody:
        raise click.UsageError("--presence needs a population; hint: pass --population census.csv")
    share = None if presence is None else fraction_of(presence, "--presence")
    of_population = k_map is not None or share is not None
    counted = [audited(each) for each in (named_population("population", k_map=k_map, presence=share) if of_population else ())]
    requirements = measured_requirements(sensitive, **names, **thresholds)
    measured = [audited(each) for each in requirements]
    con = audit_macros(duckdb.connect())

    def work() -> list[dict[str, Any]]:
        with closing(con):
            for name, each in {"source": place, **everybody}.items():
                read_table(con, each, into=name)
            for name, each in hierarchies.items():
                load_policy_table(con, each, into=name)
            listed = columns(con, "source")
            named = column_names(qi, listed) if qi else None
            person = person_column(per, per_row, listed)
            requested = Policy.of(quasi_identifiers=named, requirements=requirements)
            policy = requested.resolve([name for name in listed if name != person])
            chosen = [each.column for each in policy.quasi_identifiers]
            linked = KnownRows.requested(known_rows, person, known)
            units.append(audited_unit(con, "source", chosen, person, per_row, "command"))
            for one in counted:
                present[one.title] = figures_in(con, one.requirement, "population", chosen)
            if counted:
                mapped = present.get("k-map") or populated(con, "k_mapping", "population", chosen)
                if not mapped["classes"] or mapped["unmatched"]:  # there is no risk of who is not there
                    everybody.clear()
            with macro_errors():
                risk = record(con, _RISK, {"qi": chosen, "population": next(iter(everybody), None), "fraction": fraction})
            sizes = record(con, "FROM k_anonymity('source', $qi)", {"qi": chosen})
            if person is not None:
                counted_people = people_figures(con, "source", chosen, person)
                sizes, risk = in_people(sizes, risk, counted_people, population=bool(everybody))
            if known is not None:
                by_known.update(known_figures(con, chosen, known, k, person))
                broken.extend(broken_by_known(con, requirements, known, chosen))
            if linked is not None:
                by_rows.update(linked.figures(con, chosen, k))
                broken.extend(filter(None, [linked.broken(by_rows["fewest_candidates"], k)]))
            others = [name for name in listed if name not in {*chosen, *policy.sensitive, person}]
            identifying.extend(warnings_of_others(con, "source", others, policy.sensitive, sizes["rows"], k or sizes["k"] or 1))
            return [sizes, risk, *(figures_of(con, each, chosen) for each in requirements)]

    present: dict[str, dict[str, Any]] = {}
    by_known: dict[str, Any] = {}
    by_rows: dict[str, Any] = {}
    broken: list[str] = []
    identifying: list[str] = []
    units: list[AuditedUnit] = []
    with source_place(file, table, ending, dialect) as found_place:
        place = found_place.escaping(escape_formulas)
        with busy("auditing"):
            sizes, risk, *figures = interruptible(con.interrupt, work, patience=PATIENCE)
    if fraction is None:
        risk = {name: value for name, value in risk.items() if not name.startswith("population_")}
    reported = {"k-anonymity": sizes}
    titles = ("risk of re-identification", *(each.title for each in measured))
    for title, found in zip(titles, (risk, *figures), strict=True):
        reported[title] = {name: value for name, value in found.items() if name not in sizes}
    if known is not None:
        reported[f"any {how_many(known, 'known column')}"] = by_known
    if known_rows is not None:
        reported[f"any {how_many(known_rows, 'known row')} of a person"] = by_rows
    people = per is not None
    few = too_small(sizes["k"], k, people=people) if known is None else too_few_known(by_known["k"], known, k, people=people)
    few = few if known_rows is None else None
    broken[:0] = [] if few is None else [few]
    broken += _too_risky(risk, max_risk, max_unique_share, "row" if per is None else "person")
    for one in counted:
        reported[one.title] = one.listed_figures(present[one.title])
        broken += [f"{one.title}: {wrong}" for wrong in [one.wrong(present[one.title])] if wrong]
    by_all = zip(measured, figures, strict=True) if known is None else ()
    broken += [wrong for each, found in by_all if (wrong := each.wrong(found))]
    limits, unit = _limits(click.get_current_context()), units[0]
    identifying[:0] = unit.warnings
    if as_json:
        holds, settled = not broken and (unit.open is None or not limits), unit.open is None
        found = {"holds": holds, "broken": broken, "settled": settled, "unit": per or "rows", "warnings": identifying}
        click.echo(json.dumps({**found, **reported}))
    else:
        click.echo(_verdict(broken, limits, unit))
        for title, pairs in reported.items():
            show(((name, _rounded(name, value)) for name, value in pairs.items()), title)
    if identifying:
        warnings.warn(KanonWarning(*identifying), stacklevel=1)
    if broken:
        hint = unless_known(f"--k {k} --known 3") if few is not None and known is None else FIRST
        if not qi:
            hint = f"pass --qi zip,age, because without --qi every column is a quasi-identifier; otherwise {hint}"
        raise AuditError(f"{'; '.join(broken)}; hint: {hint}")
    if unit.open is not None and limits:
        raise unit.open


def _limits(context: click.Context) -> list[str]:
    """Return the thresholds that were given, as they were written."""
    given = [f"--{name.replace('_', '-')} {context.params[name]}" for name in _LIMITS if context.params[name] is not None]
    for name in ("known", "known_rows"):
        if context.params["k"] is not None and context.params[name] is not None:
            given.insert(1, f"--{name.replace('_', '-')} {context.params[name]}")
    return given


def _verdict(broken: list[str], limits: list[str], unit: AuditedUnit) -> str:
    """Return the first line of what a person reads: whether the thresholds that were given hold."""
    if broken:
        return click.style(f"FAIL: {'; '.join(broken)}", fg="red")
    if unit.open is not None:
        held = f"{', '.join(limits)} {'holds' if len(limits) == 1 else 'hold'} for rows, but " if limits else ""
        return click.style(f"OPEN: {held}{unit.open}", fg="yellow")
    if not limits:
        return "no threshold is set; hint: pass --k 5 for a verdict"
    counted = "" if unit.per is None else f", counting people by {as_identifier(unit.per)}"
    return click.style(f"PASS: {', '.join(limits)}{counted}", fg="green")


def _rounded(name: str, value: object) -> object:
    """Return a figure as a person reads it: risks and shares in percent, other fractions with four digits."""
    if not isinstance(value, float):
        return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
    if re.search("risk|share", name):
        return f"{100 * value:.3g} %"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _too_risky(risk: dict[str, Any], max_risk: float | None, max_unique_share: float | None, one: str) -> Iterator[str]:
    """Yield what is riskier than permitted; a table without rows risks nothing."""
    for what, name, most in (
        (f"highest risk of a {one}", "prosecutor_risk", max_risk),
        (f"share of unique {'people' if one == 'person' else 'rows'}", "uniques_share", max_unique_share),
    ):
        if most is not None and risk[name] is not None and risk[name] > most:
            yield f"the {what} is {risk[name]:.6g}, above {most:g}"
