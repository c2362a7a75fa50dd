"""A service that answers questions about a clinic's patients over HTTP, out of one release and nothing else.

| request | answer, as JSON |
| --- | --- |
| `GET /patients?disease=flu` | rows of the release; without `disease`, all of them |
| `GET /query?sql=SELECT ...` | the rows of one SELECT over the table `patients` |
| `GET /certificate` | what is proven of the release |
| `GET /audit` | what plain SQL counts in the rows that are served |

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

import duckdb
import pyarrow as pa
import uvicorn
from embedding_app import Clinic, RefusedError, generate
from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse
from pydantic_core import to_json

from kanon_sql.errors import KanonError

PATIENTS = "FROM patients WHERE $disease IS NULL OR disease = $disease"


def application(clinic: Clinic) -> FastAPI:
    """Return the service of a clinic; its requests are answered in threads, beside each other."""
    app = FastAPI(title="clinic", docs_url=None, redoc_url=None)  # their pages load scripts from the network

    def answered(sql: str, parameters: Mapping[str, object] | None = None) -> Response:
        try:
            rows = clinic.query(sql, parameters).to_pylist()
        except RefusedError as error:
            return JSONResponse({"error": str(error)}, status_code=400)
        except (duckdb.Error, pa.ArrowException, ValueError, OverflowError) as error:  # its text may quote a value
            return JSONResponse({"error": f"the query failed: {type(error).__name__}"}, status_code=400)
        return Response(to_json(rows, inf_nan_mode="null", bytes_mode="hex"), media_type="application/json")

    @app.get("/patients")
    def patients(disease: str | None = None) -> Response:
        return answered(PATIENTS, {"disease": disease})

    @app.get("/query")
    def query(sql: str) -> Response:
        return answered(sql)

    @app.get("/certificate")
    def certificate() -> dict[str, object]:
        return clinic.certificate.to_dict()

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
