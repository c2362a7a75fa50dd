, "kanon#read" AS MATERIALIZED (
        -- the ends of each label: of '[low, high)', of '[low, high]', or of a value alone; any of them may be in quotes
        SELECT label, empty, closed, low, high, ${low_number} AS low_number, ${high_number} AS high_number
        FROM (
            SELECT label, empty, closed, ${low} AS low, ${high} AS high
            FROM (
                SELECT label, empty, system.main.starts_with(body, '[') AS pair,
                       NOT system.main.suffix(body, ')') OR NOT system.main.starts_with(body, '[') AS closed,
                       CASE WHEN system.main.regexp_full_match(body, '\[.*, .*[\])]', 's')
                            THEN system.main.regexp_extract(
                                body, '^\[("(?:[^"]|"")*"|(?:[^"].*?)??), (.*)[\])]$$', ['low', 'high'], 's')
                            WHEN NOT system.main.regexp_matches(body, '^[\[{]') THEN {'low': body, 'high': body} END AS word
                FROM (
                    SELECT label, system.main.suffix(label, ' or NULL') AS empty,
                           system.main.regexp_replace(label, ' or NULL$$', '') AS body
                    FROM (${labels})
                )
            )
        )
    )