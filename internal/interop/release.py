import json, sys

import rete_graph as rete

command, name = sys.argv[1], sys.argv[2]
if command == "build":
    builder = rete.Builder().add_file(name).text_index()
    builder.export(sys.argv[3])
    sys.exit(0)
graph = rete.open(name)
if command == "quads":
    graph.to_nquads(sys.stdout)
elif command == "search":
    print(len(set(graph.text_search(sys.argv[3], limit=1000000))))
else:
    result = json.loads(graph._g.query(sys.argv[3]))
    if result["kind"] == "ask":
        print(json.dumps({"boolean": result["boolean"]}))
        sys.exit(0)

    def term(token):
        if token.startswith("<<"):
            return {"type": "triple", "value": token}
        if token.startswith("<"):
            return {"type": "uri", "value": token[1:-1]}
        if token.startswith("_:"):
            return {"type": "bnode", "value": token[2:]}
        t = rete.Term.parse(token)
        out = {"type": "literal", "value": t.value}
        if t.datatype:
            out["datatype"] = t.datatype
        if t.lang:
            out["xml:lang"] = t.lang
        return out

    rows = [{k: term(v) for k, v in row.items() if v} for row in result["rows"]]
    print(json.dumps({"results": {"bindings": rows}}))
