"""The shell: statements and commands, from a person or from a text."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from kanon_sql.cli.display import MODES, Display
from kanon_sql.cli.script import ScriptError, read_input, run_script
from kanon_sql.cli.syntax import PROTECT_SYNTAX, SYNTAX
from kanon_sql.engines.interrupt import Terminated
from kanon_sql.errors import KanonError, hint_of, raise_alone

if TYPE_CHECKING:
    from rich.console import Console

HELP = """\
Statements end with a semicolon, may span several lines, and can use ANONYMIZE and PROTECT.
Ctrl-C stops a running statement or clears the line; Ctrl-D leaves the shell.
While the shell searches for a release, the first Ctrl-C uses the best release found so far.

  .help [anonymize]         show this text, or the syntax of ANONYMIZE; also help
  .help protect             show the syntax of PROTECT
  .maximum_rows N           show at most N rows of a table (default: 40); also .maxrows
  .mode NAME                set the output mode: {modes}
  .open [--readonly] FILE   open a database; without FILE, an empty in-memory database
  .quit                     leave the shell; also .exit, quit, exit
  .read FILE                run the statements and commands in a file
  .schema [PATTERN]         show the CREATE statements of tables and views; PATTERN is a LIKE pattern
  .tables [PATTERN]         list tables and views; PATTERN is a LIKE pattern
  .timer on|off             show how long each statement takes
"""

_BARE = {"exit": ".quit", "quit": ".quit", "help": ".help"}
"""Words that are commands without a dot, as in DuckDB's shell."""

_SYNTAX = {"anonymize": SYNTAX, "anonymise": SYNTAX, "protect": PROTECT_SYNTAX}
"""What `.help` shows about a clause."""

_ALSO = {".exit": ".quit", ".maxrows": ".maximum_rows"}

_DRAWN = ("auto", "box", "duckbox", "table")
"""Names of the mode that draws tables."""

_STORED = """
    SELECT schema_name AS "schema", table_name AS name, 'table' AS kind, sql FROM system.main.duckdb_tables() WHERE NOT internal
    UNION ALL
    SELECT schema_name, view_name, 'view', sql FROM system.main.duckdb_views() WHERE NOT internal"""

_COMMAND_LINE = re.compile(r"^(?:\.[a-z_]+\b|(?:exit|quit|help)[ \t]*;?[ \t]*$)", re.MULTILINE | re.IGNORECASE)


def is_command(text: str) -> bool:
    """Tell whether a text is a command of the shell, not SQL."""
    return text.lstrip().startswith(".") or _word(text) in _BARE


def _word(text: str) -> str:
    return text.strip().removesuffix(";").rstrip().lower()


class Shell:
    """A connection, a screen, and what was chosen for it.

    Parameters
    ----------
    con : Connection
        A connection of kanon-sql; ``.open`` replaces it.
    reconnect : callable
        Opens a database, given its path and whether it is only read.
    patience : float, optional
        See :func:`kanon_sql.engines.interrupt.interruptible`.
    """

    def __init__(
        self, con: Any, console: Console, reconnect: Callable[[str, bool], Any], *, patience: float | None = None
    ) -> None:
        self.con = con
        self.console = console
        self.display = Display()
        self._reconnect = reconnect
        self._patience = patience
        self._commands: dict[str, Callable[[list[str]], None]] = {
            ".help": self._help,
            ".maximum_rows": self._maximum_rows,
            ".mode": self._mode,
            ".open": self._open,
            ".read": self._read,
            ".schema": self._schema,
            ".tables": self._tables,
            ".timer": self._timer,
        }

    def talk(self) -> None:
        """Talk to a person until Ctrl-D or ``.quit``.

        Raises
        ------
        KanonError
            When prompt_toolkit is not installed.
        """
        from kanon_sql.cli.shell_prompt import prompt_session

        ask = prompt_session(is_command, (*self._commands, ".quit", ".exit", ".maxrows"))
        self.console.print("[bold]kanon[/bold] [dim]- SQL with ANONYMIZE and PROTECT; .help for help, Ctrl-D to leave[/dim]")
        while True:
            try:
                text = ask(self.con)
            except Terminated:
                raise
            except KeyboardInterrupt:
                continue
            except EOFError:
                return
            try:
                if not self.run(text, None):
                    return
            except Terminated:
                raise
            except KeyboardInterrupt:
                self.console.print("[yellow]interrupted[/yellow]")
            except KanonError as error:
                self.console.print(f"error: {error}", style="red", markup=False, highlight=False, soft_wrap=True)

    def run(self, text: str, name: str | None) -> bool:
        """Run the statements and commands of a text; tell whether to go on, which ``.quit`` ends.

        Parameters
        ----------
        text : str
            Commands stand on lines of their own, between statements.
        name : str, optional
            What to call the text in an error; None for what a person has just typed.

        Raises
        ------
        ScriptError
            When a statement or a command fails; what came before it stands.
        """
        for line, part in _parts(text):
            if not is_command(part):
                run_script(
                    self.con, "\n" * (line - 1) + part, self.console, name=name, patience=self._patience, display=self.display
                )
            elif not self._run_command(part, None if name is None else f"{name}, line {line}: "):
                return False
        return True

    def _run_command(self, text: str, where: str | None) -> bool:
        """Run one command; tell whether to go on."""
        import duckdb

        word = _word(text)
        try:
            words = [_BARE[word]] if word in _BARE else shlex.split(text.strip().removesuffix(";"))
            command = _ALSO.get(words[0], words[0])
            if command == ".quit":
                return False
            if command not in self._commands:
                hint = hint_of(words[0], (*self._commands, ".quit"), "write .help to list all commands", spelled=str)
                raise KanonError(f"unknown command {words[0]}; hint: {hint}")
            self._commands[command](words[1:])
        except (KanonError, duckdb.Error, ValueError) as error:
            ours = isinstance(error, KanonError | duckdb.Error)
            message = str(error).strip() if ours else "a quote is not closed; hint: write .read 'my file.sql'"
            if where is None:
                raise_alone(KanonError(message))
            raise_alone(ScriptError(where + message))
        return True

    def _help(self, words: list[str]) -> None:
        if words:
            syntax = _SYNTAX.get(" ".join(words).lower())
            if syntax is None:
                raise KanonError(f"there is no help for {' '.join(words)}; hint: write .help, .help anonymize or .help protect")
            self.console.out(syntax, highlight=False, end="")
            return
        self.console.out(HELP.format(modes=", ".join(("duckbox", *MODES))), highlight=False, end="")

    def _maximum_rows(self, words: list[str]) -> None:
        if len(words) != 1 or not words[0].isdecimal() or not words[0].isascii() or int(words[0]) < 1:
            raise KanonError("expected a positive number of rows; hint: write .maximum_rows 100")
        self.display.maximum_rows = int(words[0])

    def _mode(self, words: list[str]) -> None:
        if not words:
            self.console.out(f"current output mode: {self.display.mode}", highlight=False)
        elif words[0] in _DRAWN:
            self.display.mode = "auto" if words[0] == "auto" else "duckbox"
        elif words[0] in MODES:
            self.display.mode = words[0]
        else:
            modes = ("duckbox", *MODES)
            hint = hint_of(words[0], modes, f"use one of {', '.join(modes)}", spelled=str)
            raise KanonError(f"unknown mode {words[0]}; hint: {hint}")

    def _timer(self, words: list[str]) -> None:
        if len(words) != 1 or words[0].lower() not in ("on", "off"):
            raise KanonError("expected on or off; hint: write .timer on")
        self.display.timer = words[0].lower() == "on"

    def _open(self, words: list[str]) -> None:
        files = [word for word in words if not word.startswith("-")]
        options = {word for word in words if word.startswith("-")}
        if len(files) > 1 or options - {"--readonly"}:
            raise KanonError("expected one database; hint: write .open --readonly clinic.duckdb")
        path = files[0] if files else ":memory:"
        import duckdb

        self.con.close()  # first, because a file that is open to write is not opened again
        try:
            self.con = self._reconnect(path, bool(options))
        except (duckdb.Error, KanonError) as error:
            self.con = self._reconnect(":memory:", False)
            raise_alone(KanonError(f"{str(error).strip()}; the shell now uses an empty in-memory database"))

    def _read(self, words: list[str]) -> None:
        if len(words) != 1:
            raise KanonError("expected one file; hint: write .read release.sql")
        self.run(read_input(words[0]), words[0])

    def _schema(self, words: list[str]) -> None:
        query = f'SELECT "schema", name, sql FROM ({_STORED}) WHERE name ILIKE $pattern ORDER BY ALL ASC NULLS LAST'  # noqa: S608
        for *_, text in self.con.execute(query, {"pattern": _pattern(words)}).fetchall():
            self.console.file.write(f"{text}\n")

    def _tables(self, words: list[str]) -> None:
        query = f'SELECT "schema", name, kind FROM ({_STORED}) WHERE name ILIKE $pattern ORDER BY ALL ASC NULLS LAST'  # noqa: S608
        rows = self.con.execute(query, {"pattern": _pattern(words)}).fetchall()
        self.display.show(["schema", "name", "kind"], iter(rows), self.console)


def _pattern(words: list[str]) -> str:
    if len(words) > 1:
        raise KanonError("expected one pattern; hint: write .tables patient%")
    return words[0] if words else "%"


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """Yield the commands of a text and the statements between them, each with its line; a line within a statement is none."""
    from kanon_sql.clause.statements import is_complete

    if is_command(text) and "\n" not in text.strip():
        yield 1, text
        return
    start = 0
    for found in _COMMAND_LINE.finditer(text):
        before = text[start : found.start()]
        if found.start() < start or not (not before.strip() or is_complete(before)):
            continue
        end = text.find("\n", found.start())
        end = len(text) if end < 0 else end
        if before.strip():
            yield text.count("\n", 0, start) + 1, before
        yield text.count("\n", 0, found.start()) + 1, text[found.start() : end]
        start = end
    if text[start:].strip():
        yield text.count("\n", 0, start) + 1, text[start:]
