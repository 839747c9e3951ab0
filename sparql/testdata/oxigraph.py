"""Answers queries with Oxigraph: a line of JSON in, a line of JSON out."""
import json, sys

try:
    import pyoxigraph as ox
except ImportError:
    print(json.dumps({"missing": True}), flush=True)
    sys.exit(0)

print(json.dumps({"version": ox.__version__}), flush=True)
for line in sys.stdin:
    req = json.loads(line)
    try:
        store = ox.Store()
        store.load(req["data"].encode(), format=ox.RdfFormat.N_QUADS)
        res = store.query(req["query"])
        names = [v.value for v in res.variables]
        rows = [[None if row[n] is None else str(row[n]) for n in names] for row in res]
        out = {"vars": names, "rows": rows}
    except Exception as e:
        out = {"error": str(e) or repr(e)}
    print(json.dumps(out), flush=True)
