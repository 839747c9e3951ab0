// Comunica against the server whose address is the argument.
import assert from 'node:assert';
import { QueryEngine } from '@comunica/query-sparql';

const base = process.argv[2];
const engine = new QueryEngine();
const context = { sources: [{ type: 'sparql', value: base + '/sparql' }] };

await engine.queryVoid('INSERT DATA { <http://ex/js> <http://ex/name> "Js"@en, 7 }', {
  sources: [{ type: 'sparql', value: base + '/sparql' }],
  destination: { type: 'sparql', value: base + '/update' },
});
const rows = await (await engine.queryBindings('SELECT ?n { <http://ex/js> <http://ex/name> ?n } ORDER BY ?n', context)).toArray();
assert.deepEqual(rows.map(r => r.get('n').value).sort(), ['7', 'Js']);
assert.equal(await engine.queryBoolean('ASK { <http://ex/js> ?p 7 }', context), true);
const quads = await (await engine.queryQuads('CONSTRUCT WHERE { <http://ex/js> ?p ?o }', context)).toArray();
assert.equal(quads.length, 2);
// The type of the source is found by its service description.
const found = await (await engine.queryBindings('SELECT * { <http://ex/js> ?p ?o }', { sources: [base + '/sparql'] })).toArray();
assert.equal(found.length, 2);
