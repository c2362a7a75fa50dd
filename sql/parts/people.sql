-- people(): how many rows of the population have which texts.

SELECT person, system.main.count(*) AS many
FROM (SELECT system.main.list_value(*COLUMNS(*)) AS person
      FROM (
          @texts(SELECT {0} FROM {2} AS source)
      ) AS source) AS people
GROUP BY 1
