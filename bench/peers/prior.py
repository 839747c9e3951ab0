import json, sys, time, zlib

try:
    import rete_graph
except ImportError:
    sys.stdin.readline()
    print(json.dumps({"error": "the package rete_graph is not installed"}), flush=True)
    sys.exit(0)


def run(graph, req):
    start = time.perf_counter()
    text = graph._g.query(req["query"])  # the rows as one JSON text
    zlib.crc32(text.encode())
    took = time.perf_counter() - start
    if req.get("rows"):
        env = json.loads(text)
        with open(req["rows"], "w") as f:
            if env["kind"] == "construct":
                for t in env["triples"]:
                    f.write(" ".join(t) + " .\n")
            elif env["kind"] == "ask":
                f.write("true\n" if env["boolean"] else "false\n")
            else:
                for row in env["rows"]:
                    f.write(json.dumps(row) + "\n")
    return {"time": took}


graph = None
name = sys.argv[1] + "/store.rete"
for line in sys.stdin:
    req = json.loads(line)
    try:
        if req.get("load"):
            with open(req["load"]) as f:
                data = rete_graph.build(f.read())
            with open(name, "wb") as f:
                f.write(data)
            graph = rete_graph.open(name)
            out = {"version": rete_graph.__version__}
        elif req.get("open"):
            graph = rete_graph.open(name)
            out = {"version": rete_graph.__version__}
        else:
            out = run(graph, req)
    except Exception as e:
        out = {"error": str(e) or repr(e)}
    print(json.dumps(out), flush=True)
