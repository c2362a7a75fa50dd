"""Every link of the documentation leads somewhere, every block of code runs, and what is printed below it is true."""

from __future__ import annotations

import html
import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from pages import DOCS, DOCUMENTS, PAGES, ROOT, Block, anchors, blocks, links, named, on_its_own, prose
from running import missing_modules, run_page, runnable

import kanon_sql
from kanon_sql.cli import main
from kanon_sql.errors import UnlistedColumnError
from kanon_sql.solvers.registry import SENSITIVE_SOLVERS, SOLVERS

LANGUAGES = {"sql", "python", "sh", "console", "json", "text", "csv", "yaml", "r", "js", ""}


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_every_link_leads_somewhere(path: Path) -> None:
    dead = []
    for line, target in links(path):
        place, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", place):
            continue
        found = (path.parent / place).resolve() if place else path
        if not found.exists() or (anchor and anchor not in anchors(found)):
            dead.append(f"line {line}: {target}")
    assert not dead


@pytest.mark.everything  # all of them each time: a changed release may show on one page only
@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning:ibis")  # ibis 12.0 on DuckDB 2.0
@pytest.mark.parametrize("path", [path for path in DOCUMENTS if runnable(path)], ids=named)
def test_every_block_runs_and_shows_what_the_page_says(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block, seen in run_page(path):
        if block.shown is not None:
            assert seen == block.shown, (
                f"{named(path)}, line {block.line}: the page shows something else; what is seen:\n{seen}"
            )
    missing = missing_modules(path)
    if missing:
        pytest.skip(f"all but the blocks that need {', '.join(sorted(missing))}; hint: install them")


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if on_its_own(path)], ids=named)
def test_pages_that_stand_on_their_own_show_what_is_seen(path: Path) -> None:
    for block in blocks(path):
        last = block.text.rstrip(";").split(";")[-1].strip()
        if block.language == "sql" and last.startswith(("SELECT", "FROM")):
            assert block.shown is not None, f"line {block.line}"


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_every_column_of_a_table_has_a_header(path: Path) -> None:
    """A screen reader says the header of a column before each cell."""
    lines = prose(path).split("\n")
    headers = [lines[place - 1] for place, line in enumerate(lines) if re.fullmatch(r"\|[ :|-]*---[ :|-]*\|", line)]
    assert not [header for header in headers if not all(each.strip() for each in header.strip("|").split("|"))]


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_every_block_is_of_a_known_language(path: Path) -> None:
    assert {block.language for block in blocks(path)} <= LANGUAGES
    for block in blocks(path):
        if block.language == "json" and block.run:
            json.loads(block.text)


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_command_lines_name_commands_and_options_that_exist(path: Path) -> None:
    for block in blocks(path):
        for line in _command_lines(block):
            _parse(line, f"{named(path)}, line {block.line}: {line}")


def _command_lines(block: Block) -> Iterator[str]:
    """Yield the commands of a block of the shell, or those behind a prompt where its output is shown too."""
    if block.language not in {"sh", "console"} or not block.run:
        return
    for line in block.text.replace("\\\n", " ").split("\n"):
        if block.language == "sh":
            yield line
        elif line.startswith("$ "):
            yield line[2:]


def _parse(line: str, where: str) -> None:
    words = shlex.split(line, comments=True, posix=True)
    for place in [place for place, word in enumerate(words) if word == "kanon"]:
        rest = words[place + 1 :]
        own = rest[: next((end for end, word in enumerate(rest) if word in {"&&", "|", ";", ">", "<"}), len(rest))]
        command: click.Command = main
        if own and not own[0].startswith("-"):
            assert isinstance(main, click.Group)
            found = main.get_command(click.Context(main), own[0])
            assert found, where
            command, own = found, own[1:]
        try:
            command.make_parser(click.Context(command)).parse_args(list(own))
        except click.UsageError as error:
            raise AssertionError(f"{where}: {error.format_message()}") from error


@pytest.mark.everything
def test_the_first_mistake_of_the_readme_is_refused_as_shown() -> None:
    (mistake,) = [block for block in blocks(ROOT / "README.md") if not block.run]
    made = next(block for block in blocks(ROOT / "README.md") if "CREATE TABLE patients" in block.text)
    with kanon_sql.connect() as con:
        con.execute(made.text)
        with pytest.raises(UnlistedColumnError) as refused:
            con.execute(mistake.text)
        assert mistake.shown is not None
        assert f"error: {refused.value}" == " ".join(mistake.shown.split())
        assert con.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'mistake'").fetchall() == [(0,)]


@pytest.mark.everything
def test_the_style_of_the_site_can_tell_drawn_tables_from_code(site: Path) -> None:
    """A drawn table that is wrapped on a phone cannot be read."""
    page = (site / "quickstart.html").read_text(encoding="utf-8")
    assert {"language-text highlight", "language-kanon-sql highlight"} <= set(
        re.findall(r'<div class="([^"]*highlight)">', page)
    )


@pytest.mark.everything
def test_the_site_has_a_reference_from_the_code(site: Path) -> None:
    page = html.unescape(re.sub("<[^>]+>", "", (site / "reference" / "code.html").read_text(encoding="utf-8")))
    with kanon_sql.connect() as con:
        query = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type LIKE '%macro' AND NOT internal"
        names = {name for (name,) in con.execute(query).fetchall() if not name.startswith("kanon_plan_")}
    assert all(f"{name}(" in page for name in names)
    for part in (
        *SOLVERS,
        *SENSITIVE_SOLVERS,
        "GROUPING SETS (set {, set})",
        "PER column LINKED FOR ANY number ROWS | PER ROW | IN table",
        "CREATE [OR REPLACE] ANONYMIZATION POLICY",
    ):
        assert part in page


@pytest.mark.everything
def test_the_site_has_every_page(site: Path) -> None:
    for path in PAGES:
        assert (site / path.relative_to(DOCS).with_suffix(".html")).exists(), f"{named(path)} is not in the site"


@pytest.mark.everything
def test_the_site_loads_nothing_from_the_network(site: Path) -> None:
    loaded = re.compile(r"""<(?:script|img|iframe|link)\b[^>]*?\b(?:src|href)=["']?(https?:)?//""")
    for path in site.rglob("*.html"):
        assert not loaded.search(path.read_text(encoding="utf-8")), path.name


@pytest.mark.everything
def test_the_site_is_searched_from_files(site: Path) -> None:
    """A browser starts no worker from a file: the site brings what stands in for it."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("there is no chromium")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom"]
    address = f"{(site / 'index.html').as_uri()}?q=hierarchy"
    done = subprocess.run([chromium, *options, address], capture_output=True, text=True, timeout=120, check=False)
    assert re.search(r"\d+ matching documents", done.stdout)


@pytest.mark.everything
def test_the_site_reads_as_the_pages_do(site: Path) -> None:
    """Markdown that GitHub takes for a list or a table, and the site for a paragraph, would be hard to read."""
    for path in PAGES:
        text = (site / path.relative_to(DOCS).with_suffix(".html")).read_text(encoding="utf-8")
        broken = re.findall(r"<p>(?:(?!</p>)[\s\S])*\n(?:[-*] |\d+\. |\|).*", text)
        assert not broken, (named(path), broken[0])
