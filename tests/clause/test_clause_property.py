"""Random texts: those without a clause pass as they are; a clause written from a policy is read back as it."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kanon_sql.clause import rewrite
from kanon_sql.clause.script import Script
from kanon_sql.errors import ClauseError
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.requirements import METRICS, VARIANTS, AlphaAnonymity, KAnonymity, LDiversity, TCloseness

HIDDEN = [
    "'ANONYMIZE BY'",
    '"ANONYMIZE BY"',
    "$$ANONYMIZE BY$$",
    "$x$ ANONYMIZE $$ $x$",
    "/* ANONYMIZE /* BY */ */",
    "e'\\' ANONYMIZE '",
    "'CREATE ANONYMIZATION POLICY'",
    "/* SHOW ANONYMIZATION POLICIES */",
    "anonymization policy",
]
PLAIN = ["SELECT", "zip", ",", "FROM", "t", "(", ")", "ORDER BY", "1", "'ü 😀'", "*", "+", "=", "$1", "?", ";", "-- x\n", "\n"]
QUOTES = [
    *("'", '"', "`", "$$", "$a$", "--", "/*", "*/", "e'", "E'", "N'", "x'", "U&'", "''", '""', "{#", "#}", "{%", "{{"),
    *(
        "\\",
        "\n",
        "\r",
        "x",
        "e",
        "$",
        "a$",
        "$1",
        "_",
        ".",
        "1",
        "1.",
        "1e",
        " ",
        "\u00a0",
        "\u200b",
        "ü😀",
        ";",
        "*",
        "/",
        "-",
    ),
]


@given(st.lists(st.sampled_from(PLAIN + HIDDEN)).map(" ".join))
def test_a_text_without_a_clause_passes(text):
    assert rewrite(text, lambda *_: "never") is text


@pytest.mark.everything
@given(st.text())
def test_any_text_passes_or_is_refused(text):
    with suppress(ClauseError):
        rewrite(f"SELECT 1 {text} anonymize", lambda body, *_: body)


@settings(max_examples=500)
@given(st.lists(st.sampled_from([*QUOTES, " anonymize "])).map("".join))
@example("'a\\' anonymize ' anonymize")
@example("-- x\r anonymize \n anonymize")
@example('`a"` anonymize `')
@example("1e$$ anonymize 1.--$$")
@example("1eE'\\''*")
def test_no_quote_hides_a_word_that_duckdb_sees(text):
    try:
        script = Script.read(f"{text} anonymize")
    except ClauseError:
        return
    ours = {script.start(place) for place in range(len(script.tokens)) if script.word(place) == "ANONYMIZE"}
    # DuckDB makes blanks of them before it splits; its tokenize does not.
    plain = script.text.translate(str.maketrans("\u00a0\u200b", "  "))
    encoded = plain.encode()
    theirs = {
        len(encoded[:start].decode())
        for start, kind in duckdb.tokenize(plain)
        if kind is duckdb.token_type.identifier and encoded[start : start + 9] == b"anonymize"
    }
    assert ours >= theirs


NAMES = st.text(min_size=1).filter(lambda text: "\x00" not in text and not text.lower().startswith("kanon#"))
SHARES = st.fractions(min_value=0, max_value=1, max_denominator=10**9)
METRIC = st.sampled_from(METRICS[:3]) | NAMES.map("table.{}".format)


@st.composite
def sensitive_requirements(draw, columns):
    column, share = st.sampled_from(columns), draw(SHARES)
    match draw(st.sampled_from(["l", "recursive", "t", "hierarchical", "alpha"])):
        case "l":
            return LDiversity(sensitive=draw(column), l=1 + 9 * share, variant=draw(st.sampled_from(VARIANTS[:3])))
        case "recursive":
            c = draw(st.fractions(min_value="0.01", max_value=100, max_denominator=1000))
            return LDiversity(sensitive=draw(column), l=draw(st.integers(1, 9)), variant="recursive", c=c)
        case "t":
            return TCloseness(sensitive=draw(column), t=share, metric=draw(METRIC))
        case "hierarchical":
            return TCloseness(sensitive=draw(column), t=share, metric="hierarchical", hierarchy="the ''tree'")
        case _:
            return AlphaAnonymity(sensitive=draw(column), value=draw(st.text()), alpha=share or 1)


@st.composite
def policies(draw):
    named = draw(st.lists(NAMES, min_size=2, max_size=9, unique_by=str.casefold))
    cut = draw(st.integers(1, min(6, len(named) - 1)))
    columns, sensitive = named[:cut], named[cut:]
    weights = st.fractions(min_value="0.01", max_value=100).map(lambda weight: weight.limit_denominator(1).numerator or 1)
    identifiers = tuple(QuasiIdentifier(column=column, weight=draw(weights)) for column in columns)
    masks = draw(
        st.none() | st.lists(st.lists(st.sampled_from(columns), unique=True).map(sorted).map(tuple), min_size=1, unique=True)
    )
    if masks is not None:
        # The clause names every column, in this order, in its first set.
        masks = (tuple(columns), *(mask for mask in masks if set(mask) != set(columns)))
    # The mask of every column is permitted, whatever is linked.
    cuts = sorted(draw(st.sets(st.integers(0, len(columns)))))
    linked = tuple(tuple(columns[start:stop]) for start, stop in pairwise(cuts) if stop - start > 1)
    return Policy(
        quasi_identifiers=identifiers,
        requirements=(
            KAnonymity(k=draw(st.integers(1, 10**9))),
            *draw(st.lists(sensitive_requirements(sensitive), max_size=4)),
        ),
        masks=masks,
        linked=linked,
        algorithm=draw(st.sampled_from(["auto", "optimal", "greedy"])),
        time_limit=draw(st.none() | st.integers(1, 10**6)),
        seed=draw(st.integers(0, 2**31)),
        suppress=draw(st.none() | st.text()),
    )


def quoted(name: str, mark: str = '"') -> str:
    return mark + name.replace(mark, mark * 2) + mark


def parts_of(policy: Policy) -> tuple[str, str, str]:
    """What stands behind BY, GUARANTEE and USING."""
    spelled = {qi.column: f"{quoted(qi.column)} WEIGHT {qi.weight}" for qi in policy.quasi_identifiers}
    items = ", ".join(spelled.values())
    if policy.masks is not None:
        items = (
            f"GROUPING SETS ({', '.join('(' + ', '.join(spelled[column] for column in mask) + ')' for mask in policy.masks)})"
        )
    items += "".join(f" LINKED ({', '.join(map(quoted, group))})" for group in policy.linked)
    options = {
        "time_limit": "NULL" if policy.time_limit is None else policy.time_limit,
        "seed": policy.seed,
        "suppress": "NULL" if policy.suppress is None else quoted(policy.suppress, "'"),
    }
    using = ", ".join(f"{name} = {value}" for name, value in options.items())
    guarantee = " AND ".join(requirement.describe() for requirement in policy.requirements)
    return items, guarantee, f"{policy.algorithm} ({using})"


def clause_of(policy: Policy) -> str:
    return "ANONYMIZE BY {} GUARANTEE {} USING {}".format(*parts_of(policy))


@pytest.mark.everything
@given(policies())
def test_a_policy_written_as_a_clause_is_read_back(policy):
    seen = []
    statement = f"FROM t {clause_of(policy)} ORDER BY 1"
    assert rewrite(statement, lambda body, found, _: seen.append((body, found)) or "R") == "SELECT * FROM (R) ORDER BY 1"
    assert seen == [("FROM t", policy)]


@given(st.lists(st.sampled_from([" ", "\n", "\t", "-- ü\n", "/* ANONYMIZE */"]), min_size=1).map("".join))
def test_blanks_and_comments_may_stand_anywhere(gap):
    words = "FROM t ANONYMIZE BY zip , age WEIGHT 2 GUARANTEE k >= 2 AND k > 3 USING auto ( seed = 1 )".replace(" ", gap)
    seen = []
    rewrite(words, lambda body, policy, _: seen.append((body, policy)) or body)
    assert seen == [(f"FROM{gap}t", Policy.of(k=4, quasi_identifiers=["zip", "age"], weights={"age": 2}, seed=1))]
