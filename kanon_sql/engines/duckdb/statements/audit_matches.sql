
        -- the rows of the population that match each instance: under its mask they have the same
        SELECT instance, person, n
        FROM (
            SELECT mask, person, n, ${theirs}
            FROM (
                SELECT "kanon#c".*, system.main.row_number() OVER () AS person, ${labelled}
                FROM ${coded} AS "kanon#c"
                ${joins}
            ) AS "kanon#c" CROSS JOIN (SELECT DISTINCT mask, ${layers} FROM "kanon#own") AS "kanon#h"
        ) AS "kanon#m"
        JOIN (SELECT DISTINCT instance, mask, ${keys} FROM "kanon#own") AS "kanon#o" ON ${match}
