// Run the statements of a JSON list in DuckDB-Wasm; print the rows of the last one as JSON.
const path = require("path");
const entry = require.resolve("@duckdb/duckdb-wasm/dist/duckdb-node-blocking.cjs");
const duckdb = require(entry);

async function main() {
  const at = (name) => ({ mainModule: path.join(path.dirname(entry), name) });
  const bundles = { mvp: at("duckdb-mvp.wasm"), eh: at("duckdb-eh.wasm") };
  const db = await duckdb.createDuckDB(bundles, new duckdb.VoidLogger(), duckdb.NODE_RUNTIME);
  await db.instantiate(() => {});
  const connection = db.connect();
  let rows = [];
  for (const statement of JSON.parse(require("fs").readFileSync(0, "utf8"))) {
    rows = connection.query(statement).toArray().map((row) => row.toJSON());
  }
  connection.close();
  process.stdout.write(JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? Number(value) : value)));
}

main().catch((error) => {
  process.stderr.write(String(error.message ?? error));
  process.exitCode = 1;
});
