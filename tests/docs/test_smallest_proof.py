"""The two counts of the smallest proof: what is hidden, and what is lost; the pages that define them tell them apart."""

from __future__ import annotations

from pathlib import Path

import kanon_sql


def test_a_hidden_null_is_hidden_but_not_lost(root: Path) -> None:
    with kanon_sql.connect() as con:
        con.execute("CREATE TABLE six (letter TEXT, number INT)")
        con.execute("INSERT INTO six VALUES ('a', 1), ('a', 1), ('a', NULL), ('b', 2), ('b', 2), ('b', 2)")
        con.execute("CREATE TABLE released AS FROM k_anonymize('six', 3, algorithm := 'optimal')")
        hidden = kanon_sql.releases(con)[-1].suppressed_cells
        lost = con.execute("SELECT suppressed_cells FROM utility('released', 'six', ['letter', 'number'])").fetchall()
    assert (hidden, lost) == (3, [(2,)])
    said = {
        "docs/reference/audit.md": "`suppressed_cells` does not count a suppressed NULL",
        "docs/reference/certificate.md": "suppressed cells, including those that were NULL in the source",
    }
    for page, words in said.items():
        assert words in " ".join((root / page).read_text(encoding="utf-8").split()), page
    for path in ("sql/utility.sql", "sql/kanon.sql"):
        assert "A suppressed NULL of the original is not a loss here" in (root / path).read_text(encoding="utf-8"), path
    assert "A suppressed NULL counts" in (kanon_sql.Certificate.__doc__ or "")
