"""The command ``kanon frontier``: what each guarantee and each policy costs, and what its release is still good for."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.option_groups import GroupedCommand
from kanon_sql.cli.options import (
    allow_file_option,
    assigned,
    column_names,
    dialect_options,
    drop_option,
    json_option,
    keep_option,
    per_row_option,
    qi_option,
    show,
    table_option,
    text_of,
)
from kanon_sql.cli.publication import PATIENCE
from kanon_sql.cli.publish import metric_and_hierarchy
from kanon_sql.cli.reports import force_option, page_target, quiet_option
from kanon_sql.cli.streams import read_table
from kanon_sql.cli.terminal import progress
from kanon_sql.engines.duckdb.files.staging import put_text
from kanon_sql.engines.interrupt import interruptible
from kanon_sql.errors import SourceError, raise_alone

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.connect.session import Session
    from kanon_sql.engines.duckdb.files.dialect import Dialect
    from kanon_sql.report.points import Candidate, Point


@click.command(cls=GroupedCommand)
@click.argument("source", metavar="SOURCE")
@click.option(
    "-o",
    "--output",
    "targets",
    required=True,
    multiple=True,
    metavar="OUT",
    help="Write OUT.html or OUT.csv; repeat the option to write both.",
)
@qi_option
@click.option("--k", "ks", default="2,5,10,25", show_default=True, metavar="K,K", help="Values of k to try.")
@click.option(
    "--per", metavar="A", help="Count people, identified by this column, instead of rows. This column is not released."
)
@per_row_option
@keep_option
@drop_option
@click.option("--sensitive", metavar="A", help="Sensitive column for --t.")
@click.option("--t", "ts", metavar="T,T", help="Values of t to try: maximum distances of a class from the whole table.")
@click.option(
    "--metric", metavar="NAME", help="Distance used by --t: equal, ordered, numeric, hierarchical, or a file.  [default: equal]"
)
@click.option("--hierarchy", metavar="FILE", help="Hierarchy for --metric hierarchical.")
@click.option(
    "--recode",
    "recodings",
    multiple=True,
    metavar="A=DIGITS",
    help="Also try each k with this recoding; repeatable.",
)
@click.option(
    "--weight",
    "weights",
    multiple=True,
    metavar="A=3",
    help="Also try each k with this weight; repeatable.",
)
@click.option(
    "--policies",
    "files",
    multiple=True,
    metavar="FILE",
    help="A .yaml or .json file with policies to try; repeatable. Without --k, only these policies are tried.",
)
@click.option("--queries", metavar="FILE.sql", help="SELECT statements to run on SOURCE and each release.")
@click.option("--target", "predicted", metavar="COLUMN", help="Column that a classifier predicts from the quasi-identifiers.")
@click.option("--algorithm", default="auto", show_default=True, metavar="NAME", help="Algorithm to use.")
@click.option(
    "--time-limit", type=float, metavar="SECONDS", help="Time limit per release; the best release found by then is used."
)
@click.option("--seed", default=0, show_default=True, metavar="N", help="Random seed for the algorithm.")
@allow_file_option
@table_option
@dialect_options
@force_option
@json_option
@quiet_option
@click.pass_context
def frontier(
    context: click.Context,
    /,
    source: str,
    targets: tuple[str, ...],
    queries: str | None,
    predicted: str | None,
    metric: str | None,
    hierarchy: str | None,
    allowed_files: tuple[str, ...],
    table: str | None,
    dialect: Dialect,
    force: bool,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Show what each k costs.

    Releases SOURCE under each guarantee in turn, and writes the cost and the lower bound of each release.

    With --queries or --target, also measures how useful each release is, and recommends one.

    Press Ctrl-C once to write the points found so far, or twice to stop without writing a file.
    """
    import kanon_sql
    from kanon_sql.engines.duckdb.files.csv_cells import give_types
    from kanon_sql.engines.duckdb.files.places import Place
    from kanon_sql.engines.duckdb.files.tables import columns, load_policy_table
    from kanon_sql.model.dropped_columns import remaining
    from kanon_sql.report.frontier import best_of, csv_text, html_text, points, request_of

    place = Place.of(source, table, dialect)
    names, hierarchies = metric_and_hierarchy(metric, hierarchy, dialect)
    read = [each.path for each in (place, *hierarchies.values())] + [Path(each).resolve() for each in given["files"]]
    paths = [page_target(name, (".html", ".csv"), read, force) for name in targets]
    if len(set(paths)) < len(paths):
        raise SourceError("two outputs are the same file; hint: give each output a different name")
    text = None if queries is None else text_of(queries)
    grid = not given["files"] or context.get_parameter_source("ks") is click.core.ParameterSource.COMMANDLINE
    con = kanon_sql.connect(allowed_files=allowed_files)
    ended = threading.Event()
    found: list[Point] = []
    known: list[str] = []

    def finish() -> bool:
        going = con.finish()
        if not (going or found):
            return False
        ended.set()
        if not going:
            con.interrupt()
        return True

    def work() -> list[Candidate]:
        with closing(con), progress(not quiet) as step:
            step("reading")
            read_table(con, place)
            for name, each in hierarchies.items():
                load_policy_table(con, each, into=name)
            measured = text is not None or predicted is not None
            if measured and place.kind in ("csv", "tsv"):
                give_types(con, "source")
            known.extend(columns(con, "source"))
            candidates = [
                *(_grid(con.session, known, given, names) if grid else ()),
                *_stored(given["files"], known),
            ]
            shown = remaining(known, column_names(given["drop"], known))
            useful = request_of(candidates, shown, text, predicted) if measured else None
            con.watch(lambda moment: step("solving", replace(moment, done=(len(found) + moment.done) / len(candidates))))
            for point in points(con, candidates, ended.is_set, useful):
                found.append(point)
                step("solving")
            return candidates

    candidates = interruptible(con.interrupt, work, finish=finish, patience=PATIENCE)
    settings = _settings(place.path.name, candidates, known, f"{len(found)} of {len(candidates)}", kanon_sql.__version__)
    texts = [csv_text(found) if path.suffix.lower() == ".csv" else html_text(found, settings) for path in paths]
    for each, path in zip(texts, paths, strict=True):
        put_text(each, path, replace=force)
    best = best_of(found)
    if as_json and not quiet:
        reported = {
            "written": [str(path) for path in paths],
            "asked": len(candidates),
            "points": [each.to_dict() for each in found],
        }
        click.echo(json.dumps(reported if best is None else {**reported, "advice": best.advice}))
    elif not quiet:
        show([("written", path) for path in paths] + [("points", f"{len(found)} of {len(candidates)}")])
        if best is not None:
            click.echo(best.advice)


def _grid(session: Session, known: list[str], given: dict[str, Any], names: dict[str, Any]) -> list[Candidate]:
    """Return each guarantee with each alternative of recodings and weights."""
    from kanon_sql.model.dropped_columns import dropped_columns, remaining
    from kanon_sql.report.frontier import curve_policies
    from kanon_sql.report.points import Candidate

    k, t = _numbers(given["ks"], "--k"), None if given["ts"] is None else _listed(given["ts"])
    options = {name: given[name] for name in ("sensitive", "per", "per_row", "algorithm", "time_limit", "seed")}
    options["keep"] = column_names(given["keep"], known) if given["keep"] else None
    drop = column_names(given["drop"], known)
    chosen = column_names(given["qi"], known) if given["qi"] else None
    recodings = [{}, *(assigned([each], "--recode", "column=DIGITS") for each in given["recodings"])]
    weights = [{}, *(assigned([each], "--weight", "column=3") for each in given["weights"])]
    found = []
    for recoding, weight in product(recodings, weights):
        name = ", ".join([*map("=".join, recoding.items()), *(f"weight {column}={w}" for column, w in weight.items())])
        tried = curve_policies(k, t, quasi_identifiers=chosen, recodings=recoding or None, weights=weight, **names, **options)
        for policy in tried:
            resolved = policy.resolve(remaining(known, dropped_columns(drop, policy, known)), "command")
            found.append(Candidate.of(session, resolved, name, drop, "command"))
    return found


def _stored(files: Iterable[str], known: list[str]) -> list[Candidate]:
    """Return the policies of files."""
    from kanon_sql.model.policy_file import kind_of, read
    from kanon_sql.model.policy_names import for_rows
    from kanon_sql.report.points import Candidate

    found = []
    for file in files:
        kind_of(file)
        found += [Candidate.stored(each, known) for each in for_rows(read(text_of(file), file))]
    if files and not found:
        raise SourceError("the --policies files contain no policy for rows; hint: add one (PROTECT policies have no frontier)")
    return found


def _settings(
    source: str, candidates: Sequence[Candidate], known: list[str], points: str, version: str
) -> list[tuple[str, str]]:
    first = candidates[0].policy
    shown = {each.column for each in first.quasi_identifiers}
    others = [name for name in known if name not in shown]
    return [
        ("source", source),
        ("quasi-identifiers", ", ".join(each.column for each in first.quasi_identifiers)),
        *([("other columns", ", ".join(others))] if others else []),
        ("algorithm", f"{first.algorithm}, seed {first.seed}"),
        ("points", points),
        ("version", f"kanon-sql {version}"),
    ]


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _numbers(text: str, option: str) -> list[int]:
    try:
        return [int(part) for part in _listed(text)]
    except ValueError:
        raise_alone(
            click.BadParameter(f"{text} is not a list of whole numbers; hint: write {option} 2,5,10", param_hint=option)
        )
