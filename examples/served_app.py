"""A service that answers questions about a clinic's patients over HTTP, out of one release and nothing else.

| request | answer, as JSON but for the page |
| --- | --- |
| `GET /` | a page about the release, with links to try |
| `GET /patients?disease=flu` | rows of the release; without `disease`, all of them |
| `GET /query?sql=SELECT ...` | the rows of one SELECT over the table `patients` |
| `GET /audit` | what plain SQL counts in the rows that are served |

The certificate is not served: it counts the combinations of the raw rows, and is for those who have them.

A request that is refused, or fails, is answered by 400 and `{"error": ...}`, a text without the value of any cell.
The service does not start where no release keeps the guarantee.

Run it with `python examples/served_app.py` on invented patients, or with a DuckDB file of yours behind it; needs
`pip install fastapi uvicorn`.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

import duckdb
import uvicorn
from embedding_app import QUASI_IDENTIFIERS, Clinic, generate
from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse
from query_process import RefusedError

from kanon_sql.errors import KanonError

PATIENTS = "FROM patients WHERE $disease IS NULL OR disease = $disease"


QUERY = "SELECT disease, count(*) AS patients FROM patients GROUP BY ALL ORDER BY ALL"

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Released patients of a clinic</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 42rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }}
html {{ color: light-dark(#1b1f24, #e6edf3); background: light-dark(#ffffff, #11151b); }}
a {{ color: light-dark(#0550ae, #79b8ff); }}
</style>
</head>
<body>
<main>
<h1>Released patients of a clinic</h1>
<p>This service holds one anonymized release of {rows:,} rows in {classes:,} classes, and no raw row.
Every row shares its {qi} with at least {others} others.</p>
<h2>What you can ask</h2>
<ul>
<li><a href="/patients?disease=flu">/patients?disease=flu</a>: the rows with a disease; without it, all rows</li>
<li><a href="/query?{query}">/query?sql=SELECT ...</a>: one SELECT over the table <code>patients</code></li>
<li><a href="/audit">/audit</a>: what plain SQL counts in the rows that are served</li>
</ul>
<p>Answers are JSON. A request that is refused is answered by 400 and a reason.</p>
</main>
</body>
</html>
"""


def page(clinic: Clinic) -> str:
    """Return the start page; its figures are those of the audit."""
    counted = clinic.audit()
    return PAGE.format(
        rows=counted["rows"],
        classes=counted["classes"],
        others=counted["k"] - 1,
        qi=" and ".join([", ".join(QUASI_IDENTIFIERS[:-1]), QUASI_IDENTIFIERS[-1]]),
        query=urlencode({"sql": QUERY}),
    )


def application(clinic: Clinic) -> FastAPI:
    """Return the service of a clinic; its requests are answered in threads, beside each other."""
    app = FastAPI(title="clinic", docs_url=None, redoc_url=None)  # their pages load scripts from the network

    def answered(sql: str, parameters: Mapping[str, object] | None = None) -> Response:
        try:
            return Response(clinic.answer(sql, parameters), media_type="application/json")
        except RefusedError as error:
            return JSONResponse({"error": str(error)}, status_code=400)

    @app.get("/")
    def start() -> Response:
        return Response(page(clinic), media_type="text/html; charset=utf-8")

    @app.get("/patients")
    def patients(disease: str | None = None) -> Response:
        return answered(PATIENTS, {"disease": disease})

    @app.get("/query")
    def query(sql: str) -> Response:
        return answered(sql)

    @app.get("/audit")
    def audit() -> dict[str, object]:
        return clinic.audit()

    return app


def main() -> None:
    """Release the patients, and serve the release until somebody stops it."""
    parser = argparse.ArgumentParser(description="Serve a release of a clinic's patients.")
    parser.add_argument("database", nargs="?", type=Path, help="a DuckDB file with the table patients; invented by default")
    parser.add_argument("--port", type=int, default=8000, help="0 takes a free one (8000)")
    parser.add_argument("--seconds", type=float, default=5.0, help="when a query is stopped (5)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = arguments.database
        if database is None:
            database = Path(folder) / "clinic.duckdb"
            generate(database, 1500)
        try:
            clinic = Clinic(database, arguments.seconds)
        except (KanonError, duckdb.Error) as error:
            raise SystemExit(f"error: {error}") from None
    try:
        uvicorn.run(application(clinic), host="127.0.0.1", port=arguments.port)
    finally:
        clinic.close()


if __name__ == "__main__":
    main()
