-- interval_ends(label): the two ends of an interval, as texts; of any other label, the label twice.
--
-- Generalized columns are texts: [35, 40), [17, 23] or [17, 23] or NULL. This reads them, so that one column becomes two, of
-- whatever type: SELECT interval_ends(lat).low::DOUBLE AS lat_min, interval_ends(lat).high::DOUBLE AS lat_max.
-- A value that stands alone is its own interval. A suppressed cell is NULL, and so is a label with several ', '.
--
-- Arguments:
--   label   VARCHAR   a cell of a generalized column
--
-- Result:
--   STRUCT(low VARCHAR, high VARCHAR)
--
-- Cost: one pass over the text.
CREATE OR REPLACE MACRO interval_ends(label) AS
CASE
    WHEN NOT system.main.regexp_matches(label::VARCHAR, '^\[.*[\])]( or NULL)?$', 's')
    THEN system.main.struct_pack(low := system.main.regexp_replace(label::VARCHAR, ' or NULL$', ''),
                                 high := system.main.regexp_replace(label::VARCHAR, ' or NULL$', ''))
    WHEN system.main.len(system.main.string_split(label::VARCHAR, ', ')) = 2
    THEN system.main.struct_pack(low := system.main.regexp_extract(label::VARCHAR, '^\[(.*), (.*)[\])]( or NULL)?$', 1, 's'),
                                 high := system.main.regexp_extract(label::VARCHAR, '^\[(.*), (.*)[\])]( or NULL)?$', 2, 's'))
END;
