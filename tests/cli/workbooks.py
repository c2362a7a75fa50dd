"""Spreadsheets for tests."""

from __future__ import annotations

import zipfile
from pathlib import Path


def workbook(path: Path, **sheets: str) -> Path:
    """Write a workbook: for each sheet its rows as XML."""
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    links = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    listed = "".join(f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"/>' for n, name in enumerate(sheets, 1))
    found = "".join(
        f'<Relationship Id="r{n}" Type="{links}/worksheet" Target="worksheets/s{n}.xml"/>' for n, _ in enumerate(sheets, 1)
    )
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("[Content_Types].xml", f'<Types xmlns="{package}/content-types"/>')
        office = f'<Relationship Id="r1" Type="{links}/officeDocument" Target="xl/workbook.xml"/>'
        file.writestr("_rels/.rels", f'<Relationships xmlns="{package}/relationships">{office}</Relationships>')
        file.writestr("xl/workbook.xml", f'<workbook {main} xmlns:r="{links}"><sheets>{listed}</sheets></workbook>')
        file.writestr("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{package}/relationships">{found}</Relationships>')
        for n, rows in enumerate(sheets.values(), 1):
            file.writestr(f"xl/worksheets/s{n}.xml", f"<worksheet {main}><sheetData>{rows}</sheetData></worksheet>")
    return path


def row(number: int, *cells: str | float) -> str:
    written = "".join(
        f'<c r="{chr(65 + n)}{number}" t="inlineStr"><is><t>{cell}</t></is></c>'
        if isinstance(cell, str)
        else f'<c r="{chr(65 + n)}{number}"><v>{cell}</v></c>'
        for n, cell in enumerate(cells)
    )
    return f'<row r="{number}">{written}</row>'
