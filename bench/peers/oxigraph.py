import json, sys, time, zlib

try:
    import pyoxigraph as ox
except ImportError:
    sys.stdin.readline()
    print(json.dumps({"error": "the package pyoxigraph is not installed"}), flush=True)
    sys.exit(0)


def run(store, req):
    start = time.perf_counter()
    res = store.query(req["query"], use_default_graph_as_union=req.get("union", False))
    graph = isinstance(res, ox.QueryTriples)
    out = res.serialize(format=ox.RdfFormat.N_TRIPLES if graph else ox.QueryResultsFormat.JSON)
    zlib.crc32(out)
    took = time.perf_counter() - start
    if req.get("rows"):
        with open(req["rows"], "wb") as f:
            f.write(out)
    return {"time": took}


store = None
for line in sys.stdin:
    req = json.loads(line)
    try:
        if req.get("load"):
            store = ox.Store(sys.argv[1] + "/store")
            quads = req["load"].endswith(".nq")
            store.bulk_load(path=req["load"], format=ox.RdfFormat.N_QUADS if quads else ox.RdfFormat.N_TRIPLES)
            store.optimize()
            out = {"version": ox.__version__}
        elif req.get("open"):
            store = ox.Store(sys.argv[1] + "/store")
            out = {"version": ox.__version__}
        else:
            out = run(store, req)
    except Exception as e:
        out = {"error": str(e) or repr(e)}
    print(json.dumps(out), flush=True)
