"""The audit of guarantees about the population as SQL: what the rows that are handed out match in it.

Nothing here is shared with a solver: what labels stand for is read from the texts that they are.
"""

from __future__ import annotations

from string import ascii_lowercase, ascii_uppercase

from kanon_sql.engines.duckdb.gather.from_items import hierarchy
from kanon_sql.engines.duckdb.gather.population import numbered, units_of
from kanon_sql.engines.duckdb.names import literal
from kanon_sql.engines.duckdb.release.cover import end_labels, ends_first, number_labels, number_of
from kanon_sql.engines.duckdb.texts import guarantee_text, text, tree_links
from kanon_sql.engines.guarantees import audited
from kanon_sql.model.hierarchies import DEEPEST
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Digits, Generalization, Intervals, Levels
from kanon_sql.model.validation import same_name

_HIDDEN = f"""system.main.list_transform(hidden, lambda name:
                   system.main.translate(name, '{ascii_uppercase}', '{ascii_lowercase}'))"""
"""The names of hidden columns as `same_name` has them: É and é are two columns."""


def population_gate(policy: Policy) -> dict[str, str]:
    """Return the audit of what classes match in the populations of a policy, as slots of the release statement.

    Returns
    -------
    dict of str
        ``matches``, common table expressions with a comma before each; ``unmatched``, branches of a CASE.
    """
    audits, cells = [], {}
    for number, name in enumerate(policy.populations, 1):
        labels, cells[name] = _cells(policy, number)
        audits.append(labels)
    refusals = []
    for place, requirement in enumerate(policy.population_requirements, 1):
        check, counted = f'"kanon#population_check{place}"', numbered("matched", place)
        count, question, figures = audited(requirement).texts()
        audits.append(guarantee_text(count, counted=counted, **cells[requirement.population], **figures))
        audits.append(text("audit_population", check=check, question=guarantee_text(question, counted=counted, **figures)))
        refusals.append(text("audit_refusal", check=check, guarantee=literal(requirement.describe())))
    return {"matches": "".join(audits), "unmatched": "".join(refusals)}


def _cells(policy: Policy, number: int) -> tuple[str, dict[str, str]]:
    """Return what reads the labels of generalized columns, and slots that compare pieces and rows of a population."""
    recodings = {qi.column: qi.recoding for qi in policy.quasi_identifiers}
    audits, own, theirs, named, labelled, joins = [], [], [], [], [], []
    for unit, columns in units_of(policy).items():
        shown = f"NOT system.main.list_contains(hidden, {literal(same_name(columns[0]))})"
        recoding = recodings[columns[0]]
        if recoding is None:
            own.append(f'{shown} AS l{unit}, CASE WHEN {shown} THEN "kanon#k".c{unit} END AS k{unit}')
            theirs.append(f'CASE WHEN l{unit} THEN "kanon#c".c{unit} END AS k{unit}')
            continue
        place, texts = policy.generalized.index(columns[0]) + 1, numbered(f"texts{unit}_", number)
        labels, pair = numbered(f"labels{unit}_", number), f'"kanon#l{unit}"'
        question = _question(recoding, texts)
        audits.append(text("audit_labels", labels=labels, texts=texts, number=str(place), question=question))
        # a label that no value has matches nothing, nor does a value without a label in a layer
        own.append(
            f"CASE WHEN {shown} THEN coalesce({pair}.layer, 0) END AS l{unit}, "
            f"CASE WHEN {shown} THEN coalesce({pair}.id, -1) END AS k{unit}"
        )
        named.append(
            f"LEFT JOIN (SELECT DISTINCT label, id, layer FROM {labels}) AS {pair} "  # noqa: S608
            f'ON {pair}.label IS NOT DISTINCT FROM "kanon#p".labels[{place}]'
        )
        labelled.append(f"{pair}.layers AS layers{unit}, {pair}.ids AS ids{unit}")
        found = f"system.main.list_extract(ids{unit}, system.main.list_position(layers{unit}, l{unit}))"
        theirs.append(f"CASE WHEN l{unit} IS NOT NULL THEN coalesce({found}, -2) END AS k{unit}")
        joins.append(text("audit_layers", labels=labels, pair=pair, unit=str(unit)))
    layers, keys = ([f"{each}{unit}" for unit in units_of(policy)] for each in "lk")
    given = {"layers": ", ".join(layers), "keys": ", ".join(keys)}
    match = (f'"kanon#o".{key} IS NOT DISTINCT FROM "kanon#m".{key}' for key in keys)
    instances = text(
        "audit_instances",
        **given,
        own=", ".join(own),
        hidden=_HIDDEN,
        known=numbered("known", number),
        named="\n                ".join(named),
    )
    matches = text(
        "audit_matches",
        **given,
        theirs=", ".join(theirs),
        labelled=", ".join(labelled or ["NULL"]),
        coded=numbered("coded", number),
        joins="\n                ".join(joins),
        match=" AND ".join(['"kanon#o".mask = "kanon#m".mask', *match]),
    )
    return "".join(audits), {"instances": instances, "matches": matches}


def _question(recoding: Generalization, texts: str) -> str:
    """Return a query with the labels of each value of a column, as far as they are released."""
    match recoding:
        case Digits():
            return text("labels_digits", texts=texts)
        case Levels(table=table):
            return text("labels_levels", texts=texts, links=tree_links(hierarchy(table)), deepest=str(DEEPEST))
        case Intervals(steps=(str(), *_)):
            own = "".join(f", {literal(each)}" for each in end_labels(recoding))
            return text("labels_periods", texts=texts, own=own, ends=ends_first(recoding, "year", str))
        case _:
            return text("labels_intervals", texts=texts, read=number_labels(), number=number_of("value"))
