"""The row types and ladders of a source, made again from the table alone, and its levels as columns that are shown or hidden.

Nothing is solved for it. The values in a bin or region are not in its label: the caller may say which they are, and each such
group is checked here before it is believed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanon_sql.certificate import Certificate
from kanon_sql.engines.duckdb.gather.from_items import from_item_of
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import CertificateError, InfeasibleError, PolicyError, raise_alone
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recodings import Bins, Intervals, Regions, table_of
from kanon_sql.model.requirements import KnownColumns
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable, Sensitive
from kanon_sql.table.encode import encode
from kanon_sql.table.equal_values import key_codes, together
from kanon_sql.table.labels.ladders import Column, column_ladders
from kanon_sql.table.ladder import GRAIN, Label, Ladder
from kanon_sql.table.measurements import GRAIN as CELLS
from kanon_sql.table.measurements import measurable
from kanon_sql.table.patterns import permitted
from kanon_sql.table.recoding import hidden_bits
from kanon_sql.table.sensitive_values import Columns, labelled, measured
from kanon_sql.verification.chosen_groups import check_groups

SUPPRESSED = -1
"""The level of a suppressed cell."""

Regroup = Callable[[Bins | Intervals | Regions, Sequence[Label], Int64, Policy, Mapping[str, Columns]], tuple[list[Label], str]]
"""Puts values together again as a policy says: the label of each, and what the algorithm says of its groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedSource:
    """A source as it was solved."""

    policy: Policy  # resolved
    table: CodedTable | None  # The row types; a column without a ladder has its values as codes. None where there is no row.
    ladders: dict[str, Ladder]  # of the generalized columns whose labels can be made again
    columns: dict[str, Column]  # the texts of every generalized column

    @classmethod
    def read(cls, con: Any, policy: Policy, regroup: Regroup | None = None) -> CodedSource:
        """Read the table ``source`` of a connection, and the tables that the recodings name.

        Parameters
        ----------
        policy : Policy
            Resolved.
        regroup : Regroup, optional
            Says which values are in each bin and region; without it nobody knows.

        Raises
        ------
        PolicyError, InfeasibleError
            When a column of the table cannot be generalized as the policy says.

        Notes
        -----
        As the release: O(t m) for t row types, and what the bins and regions take.
        """
        import pyarrow as pa

        names = [*(qi.column for qi in policy.quasi_identifiers), *policy.measured]
        texts = [
            f'system.main.min(CAST({quoted(name)} AS VARCHAR)) AS "kanon#text{n}"' for n, name in enumerate(labelled(policy))
        ]
        keys = {f'"kanon#key{n}"': quoted(name) for n, name in enumerate(policy.measured)}
        key = "system.main.create_sort_key(system.main.row({}), 'ASC NULLS LAST')"
        least = [f"system.main.min({key.format(column)}) AS {name}" for name, column in keys.items()]
        equal = ", ".join(f"system.main.min({name}) OVER (PARTITION BY {column}) AS {name}" for name, column in keys.items())
        chosen = ", ".join([*map(quoted, names), *texts, *least])
        query = f'SELECT {chosen}, system.main.count(*) AS "kanon#n" FROM source GROUP BY ALL'  # noqa: S608
        histogram = con.sql(f"SELECT * REPLACE ({equal}) FROM ({query})" if keys else query).to_arrow_table()  # noqa: S608
        if not histogram.num_rows:
            return cls(policy=policy, table=None, ladders={}, columns={})
        parts = [column.combine_chunks() for column in histogram.columns]
        count = np.from_dlpack(parts[-1]).astype(np.int64)
        by_name = dict(zip(labelled(policy), parts[len(names) : -1 - len(keys)], strict=True))
        ranked = {name: key_codes(part) for name, part in zip(policy.measured, parts[-1 - len(keys) : -1], strict=True)}
        again = replace(  # what masks cost is no part of the row types
            policy,
            mask_costs=None,
            quasi_identifiers=tuple(_made_again(policy, qi, regroup) for qi in policy.quasi_identifiers),
        )
        named = [table_of(qi.recoding) for qi in again.quasi_identifiers]
        named += [each.table for each in policy.closeness]
        tables = {name: _table(con, from_item_of(policy, name)) for name in named if name is not None}
        written = measurable(policy, by_name, histogram.schema.empty_table().to_struct_array().type)

        def groups(recoding: Bins | Intervals | Regions, values: Sequence[Label], rows: Int64) -> tuple[list[Label], str]:
            assert regroup is not None  # noqa: S101 - else no recoding that chooses groups is left
            found, described = regroup(recoding, values, rows, policy, tables)
            check_groups(recoding, values, rows.tolist(), found, policy.fewest_rows, tables)
            return found, described

        climbed = column_ladders(again, written, count, tables, groups)
        row_types = pa.StructArray.from_arrays(parts[: len(names)], names)
        table, spellings = together(encode(row_types, count, again, climbed)[0], ranked)
        table = measured(table, policy, by_name, tables, spellings)
        return cls(
            policy=policy, table=table, ladders=climbed, columns={name: Column.of(by_name[name]) for name in policy.generalized}
        )

    @property
    def sensitive(self) -> tuple[Sensitive, ...]:
        """Return the sensitive attributes of the row types."""
        return () if self.table is None else self.table.sensitive

    @property
    def unread(self) -> tuple[str, ...]:
        """Return the columns whose labels neither tell their values nor can be made again."""
        numbered = {qi.column for qi in self.policy.quasi_identifiers if isinstance(qi.recoding, Bins | Regions)}
        return tuple(name for name in self.columns if name in numbered and name not in self.ladders)

    @property
    def level_vectors(self) -> NDArray[np.int64] | None:
        """Return the permitted levels, int64 [p, m] for p patterns and m quasi-identifiers, or None if all are permitted.

        A level is the number of finer ones that are hidden, `SUPPRESSED` where all are.
        """
        table = self.table
        if table is None or self.policy.masks is None:
            return None
        gone = hidden_bits(permitted(table, replace(self.policy, mask_costs=None)).shown, len(table.columns))
        level: dict[str, NDArray[np.int64]] = {}
        for names, places in table.ladders.items():
            hidden = gone[:, places].sum(axis=1)
            level |= dict.fromkeys(names, np.where(hidden == len(places), SUPPRESSED, hidden))
        return np.stack([level[qi.column] for qi in self.policy.quasi_identifiers], axis=1)

    def proof(self, certificate: Certificate) -> tuple[Certificate, list[tuple[int, ...]], list[int]]:
        """Return what `certificate.verify` takes: the certificate, and the codes and counts of the row types.

        Notes
        -----
        A level of a ladder is a column of its own, hidden at the price of the step to the next. So the certificate becomes that
        of a policy which only suppresses, under the masks that show with each level all coarser ones. Where those are too many
        to list, every mask is permitted: one that hides a coarser level is no cheaper way to show the same, and proves nothing.
        """
        table = self.table
        if table is None:
            return certificate, [], []
        codes, counts = [tuple(each) for each in table.codes.tolist()], table.weight.tolist()
        if not self.policy.generalized:
            return certificate, codes, counts
        if self.policy.grouped or self.policy.summarized:  # there the bound rests on more than the levels
            certificate = replace(certificate, prices=None)
        requested = self.policy.requirements
        columns = [QuasiIdentifier(column=f"coded column {c}", weight=self._step(table, c)) for c in range(len(table.columns))]
        masks = None
        if certificate.prices and (patterns := permitted(table, self.policy)).listed:
            masks = tuple(
                tuple(qi.column for c, qi in enumerate(columns) if shown >> c & 1) for shown in patterns.shown.tolist()
            )
        requirements = tuple(self._by_levels(each, table) if isinstance(each, KnownColumns) else each for each in requested)
        suppressing = Policy(quasi_identifiers=tuple(columns), requirements=requirements, masks=masks)
        # cells are counted separately, by the columns of the source
        again = replace(certificate, policy=suppressing.to_json(), cells=table.rows * len(columns), suppressed_cells=0)
        again = replace(again, requirements=tuple(each.describe() for each in requirements))
        return again, codes, counts

    def _by_levels(self, known: KnownColumns, table: CodedTable) -> KnownColumns:
        """Return a requirement for known columns whose sets name all levels of their columns."""
        ladders = {names: places for names, places in table.ladders.items() if names}
        places = list(ladders.values())
        sets = [[f"coded column {c}" for unit in chosen for c in places[unit]] for chosen in known.sets_of(list(ladders))]
        return replace(known, columns=None, sets=tuple(map(tuple, sets)))

    def _step(self, table: CodedTable, column: int) -> Fraction:
        """Return the cost of hiding a coded column; of one that shows chosen groups or summaries, the grain of its loss."""
        (name, *_) = table.columns[column]
        cost = table.exact_cost(int(table.cost[column]))
        if name in self.policy.aggregated:
            return cost * CELLS
        if name in self.policy.summarized:
            return cost / max(1, int(table.cardinality[column]) - 1)
        return cost * GRAIN if name in self.policy.grouped else cost


def _made_again(policy: Policy, qi: QuasiIdentifier, regroup: Regroup | None) -> QuasiIdentifier:
    """Return a quasi-identifier without its recoding, if chosen labels tell their values, or nobody can repeat the choice."""
    chosen = qi.column in policy.grouped
    repeated = isinstance(qi.recoding, Bins | Regions) and policy.time_limit is None and regroup is not None
    return replace(qi, recoding=None) if chosen and not repeated else qi


def _table(con: Any, source: str) -> Columns:
    """Return a table next to the source as texts, column by column."""
    rows = con.sql(f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM {source}").to_arrow_table()  # noqa: S608
    return {field: rows.column(field).to_pylist() for field in rows.column_names}


def coded_source(con: Any, policy: Policy, regroup: Regroup | None = None) -> CodedSource:
    """Return the table ``source`` as codes.

    Raises
    ------
    CertificateError
        When the policy does not fit it.
    """
    try:
        return CodedSource.read(con, policy, regroup)
    except (PolicyError, InfeasibleError) as error:
        raise_alone(CertificateError("policy", f"it does not match the source: {error}"))
