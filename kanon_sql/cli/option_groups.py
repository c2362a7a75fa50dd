"""The options of a command in groups, for its help and for the reference."""

from __future__ import annotations

import click

from kanon_sql.model.requirements import THRESHOLD_OPTIONS

FILES = "Files and output"
"""The group of the options that most commands share."""

_THRESHOLDS = (f"--{name}" for name in THRESHOLD_OPTIONS)

_GROUPS = {
    "Guarantee": (
        "--k", "--known", "--known-rows", "--per", "--per-row", "--sensitive", *_THRESHOLDS, "--k-map", "--presence",
        "--population",
    ),
    "Cells and search": (
        "--mask", "--linked", "--weight", "--recode", "--beside", "--suppress", "--row-order", "--algorithm", "--effort",
        "--seed", "--time-limit", "--max-suppressed",
    ),
    FILES: (
        "--table", "--delimiter", "--encoding", "--names", "--date-format", "--decimal", "--format", "--escape-formulas",
        "--secret-file", "--allow-file", "--certificate", "--force", "--json", "--quiet", "--help",
    ),
}  # fmt: skip

_LEAST = 4
"""Options of a group; fewer are not worth a heading."""


def option_groups(command: click.Command, context: click.Context) -> dict[str, list[click.Option]]:
    """Return the options of a command by the headings of its help."""
    options = [each for each in command.get_params(context) if isinstance(each, click.Option)]
    found: dict[str, list[click.Option]] = {"Options": []}
    for title, names in _GROUPS.items():
        group = [each for each in options if set(names) & set(each.opts)]
        if len(group) >= _LEAST:
            found[title] = group
    grouped = [each for group in found.values() for each in group]
    found["Options"] = [each for each in options if each not in grouped]
    return {title: group for title, group in found.items() if group}


class GroupedCommand(click.Command):
    """A command whose help shows its options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a section for each group."""
        for title, group in option_groups(self, ctx).items():
            records = [record for each in group if (record := each.get_help_record(ctx)) is not None]
            with formatter.section(title):
                formatter.write_dl(records)
