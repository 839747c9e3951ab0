"""Tries SPARQL clients for Python against a server: a line of JSON for each."""

import json
import sys

BASE = sys.argv[1]
EX = "http://ex/"


def attempt(name, work):
    try:
        version = work()
        print(json.dumps({"client": name, "version": version}), flush=True)
    except ImportError:
        print(json.dumps({"client": name, "missing": True}), flush=True)
    except Exception as e:
        print(json.dumps({"client": name, "error": f"{type(e).__name__}: {e}"}), flush=True)


def expect(got, want):
    if got != want:
        raise AssertionError(f"got {got!r}, want {want!r}")


def sparqlwrapper():
    import SPARQLWrapper as sw

    client = sw.SPARQLWrapper(BASE + "/query", updateEndpoint=BASE + "/update")

    def ask(text, form, method=sw.GET):
        client.setQuery(text)
        client.setReturnFormat(form)
        client.setMethod(method)
        return client.queryAndConvert()

    names = "SELECT ?n { ?s <http://ex/name> ?n } ORDER BY ?n"
    for method in (sw.GET, sw.POST):
        rows = ask(names, sw.JSON, method)["results"]["bindings"]
        expect([r["n"]["value"] for r in rows], ["Ann", "Bob"])
    client.setRequestMethod(sw.POSTDIRECTLY)
    expect(len(ask(names, sw.JSON, sw.POST)["results"]["bindings"]), 2)
    client.setRequestMethod(sw.URLENCODED)
    expect(len(ask(names, sw.XML).getElementsByTagName("binding")), 2)
    expect(ask(names, sw.CSV).decode().splitlines()[0], "n")
    expect(ask(names, sw.TSV).decode().splitlines()[0], "?n")
    expect(ask("ASK { ?s <http://ex/name> 'Ann' }", sw.JSON)["boolean"], True)
    for form in (sw.TURTLE, sw.RDFXML, sw.N3):
        graph = ask("CONSTRUCT WHERE { ?s <http://ex/name> ?n }", form)
        if isinstance(graph, bytes):
            import rdflib

            graph = rdflib.Graph().parse(data=graph, format="turtle")
        expect(len(graph), 2)
    client.setQuery("INSERT DATA { <http://ex/client> <http://ex/says> 'SPARQLWrapper' }")
    client.setMethod(sw.POST)
    client.query()
    client.setRequestMethod(sw.POSTDIRECTLY)
    client.setQuery("INSERT DATA { <http://ex/client> <http://ex/says> 'SPARQLWrapper directly' }")
    client.query()
    return sw.__version__


def rdflib_store():
    import rdflib
    from rdflib.plugins.stores.sparqlstore import SPARQLUpdateStore

    ex = rdflib.Namespace(EX)
    for method in ("GET", "POST", "POST_FORM"):
        store = SPARQLUpdateStore(BASE + "/query", BASE + "/update", method=method, context_aware=False)
        graph = rdflib.Graph(store)
        expect(sorted(str(o) for o in graph.objects(None, ex.name)), ["Ann", "Bob"])
        expect(len(graph) >= 3, True)
        subject = ex["rdflib-" + method]
        graph.add((subject, ex.value, rdflib.Literal(1)))
        graph.add((subject, ex.value, rdflib.Literal("zwei", lang="de")))
        expect(len(list(graph.triples((subject, None, None)))), 2)
        graph.remove((subject, ex.value, rdflib.Literal(1)))
        expect((subject, ex.value, rdflib.Literal("zwei", lang="de")) in graph, True)
        graph.remove((subject, None, None))
        rows = graph.query("SELECT ?s ?k { ?s <http://ex/knows> ?k }")
        expect([(str(r.s), str(r.k)) for r in rows], [(EX + "ann", EX + "bob")])
        expect(graph.query("ASK { ?s <http://ex/name> 'Ann' }").askAnswer, True)
        expect(len(graph.query("CONSTRUCT WHERE { ?s <http://ex/name> ?n }").graph), 2)
    graph.update("INSERT DATA { <http://ex/client> <http://ex/says> 'rdflib' }")
    return rdflib.__version__


def rdflib_graphs():
    import rdflib
    from rdflib.plugins.stores.sparqlstore import SPARQLUpdateStore

    data = rdflib.Dataset(SPARQLUpdateStore(BASE + "/query", BASE + "/update"))
    graph = data.graph(rdflib.URIRef(EX + "g"))
    graph.add((rdflib.URIRef(EX + "s"), rdflib.URIRef(EX + "p"), rdflib.Literal(1.5)))
    expect(len(graph), 1)
    expect(EX + "g" in [str(c.identifier) for c in data.contexts()], True)
    graph.remove((None, None, None))
    expect(len(graph), 0)
    text = BASE + "/store?default"
    expect(len(rdflib.Graph().parse(text, format="turtle")) >= 3, True)
    return rdflib.__version__


attempt("SPARQLWrapper", sparqlwrapper)
attempt("rdflib SPARQLUpdateStore", rdflib_store)
attempt("rdflib Dataset, Graph Store", rdflib_graphs)
