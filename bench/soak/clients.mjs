// Tries Comunica against a server: a line of JSON.
import { createRequire } from "node:module";

const base = process.argv[1];
const modules = process.argv[2];
const name = "Comunica";
const say = (o) => console.log(JSON.stringify({ client: name, ...o }));

const expect = (got, want) => {
  if (JSON.stringify(got) !== JSON.stringify(want)) {
    throw new Error(`got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
  }
};

let comunica, version;
try {
  const load = createRequire(modules + "/");
  comunica = load("@comunica/query-sparql");
  version = load("@comunica/query-sparql/package.json").version;
} catch {
  say({ missing: true });
  process.exit(0);
}

try {
  const engine = new comunica.QueryEngine();
  const source = { type: "sparql", value: base + "/sparql" };
  const rows = async (text, sources) => (await engine.queryBindings(text, { sources })).toArray();
  // Comunica asks for the service description, sends parts of a query, or all of it.
  for (const s of [source, base + "/sparql"]) {
    const names = await rows("SELECT ?n { ?s <http://ex/name> ?n } ORDER BY ?n", [s]);
    expect(names.map((r) => r.get("n").value), ["Ann", "Bob"]);
  }
  const joined = await rows("SELECT ?a ?b { ?s <http://ex/name> ?a . ?s <http://ex/knows> ?k . OPTIONAL { ?k <http://ex/name> ?b } }", [source]);
  expect(joined.map((r) => [r.get("a").value, r.get("b").value]), [["Ann", "Bob"]]);
  expect(await engine.queryBoolean("ASK { ?s <http://ex/name> 'Ann' }", { sources: [source] }), true);
  const quads = await (await engine.queryQuads("CONSTRUCT WHERE { ?s <http://ex/name> ?n }", { sources: [source] })).toArray();
  expect(quads.length, 2);
  await engine.queryVoid("INSERT DATA { <http://ex/client> <http://ex/says> 'Comunica' }", { sources: [source], destination: source });
  say({ version });
} catch (e) {
  say({ error: String(e && e.stack ? e.stack : e) });
}
process.exit(0);
