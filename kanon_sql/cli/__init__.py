"""The command ``kanon``."""

from kanon_sql.cli.commands import main

__all__ = ["main"]
