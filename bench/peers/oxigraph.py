import json, sys, time

try:
    import pyoxigraph as ox
except ImportError:
    sys.stdin.readline()
    print(json.dumps({"error": "the package pyoxigraph is not installed"}), flush=True)
    sys.exit(0)


def run(store, req):
    times, begin, n, res = [], time.perf_counter(), 0, None
    graph = False
    while n < req["warm"] + req["runs"]:
        if len(times) >= 3 and time.perf_counter() - begin > req["budget"]:
            break
        start = time.perf_counter()
        res = store.query(req["query"])
        graph = isinstance(res, ox.QueryTriples)
        if graph:
            res.serialize(format=ox.RdfFormat.N_TRIPLES)
        else:
            res.serialize(format=ox.QueryResultsFormat.JSON)
        end = time.perf_counter()
        if n >= req["warm"] or end - begin > req["budget"]:
            times.append(end - start)
        n += 1
    res = store.query(req["query"])
    if graph:
        res.serialize(output=req["rows"], format=ox.RdfFormat.N_TRIPLES)
    elif isinstance(res, ox.QueryBoolean):
        with open(req["rows"], "w") as f:
            f.write("true\n" if res else "false\n")
    else:
        res.serialize(output=req["rows"], format=ox.QueryResultsFormat.TSV)
    return {"times": times, "graph": graph}


store = None
for line in sys.stdin:
    req = json.loads(line)
    try:
        if req.get("load"):
            store = ox.Store(sys.argv[1] + "/store")
            store.bulk_load(path=req["load"], format=ox.RdfFormat.N_TRIPLES)
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
