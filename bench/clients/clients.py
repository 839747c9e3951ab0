"""SPARQLWrapper and rdflib against the server whose address is the argument."""
import sys

from rdflib import Graph, Literal, URIRef
from rdflib.plugins.stores.sparqlstore import SPARQLUpdateStore
from SPARQLWrapper import CSV, JSON, N3, POST, RDFXML, TSV, TURTLE, XML, SPARQLWrapper

base = sys.argv[1]


def wrapper(fmt, text, method="GET"):
    w = SPARQLWrapper(base + "/sparql")
    w.setReturnFormat(fmt)
    w.setMethod(method)
    w.setQuery(text)
    return w


def check(name, got, want):
    assert got == want, f"{name}: got {got!r}, want {want!r}"


update = wrapper(JSON, 'INSERT DATA { <http://ex/py> <http://ex/name> "Pÿ"@en, 7 }', POST)
update.query()

names = 'SELECT ?n { <http://ex/py> <http://ex/name> ?n FILTER(isNumeric(?n)) }'
for method in ("GET", "POST"):
    rows = wrapper(JSON, names, method).queryAndConvert()
    check("JSON", [b["n"]["value"] for b in rows["results"]["bindings"]], ["7"])
    check("XML", wrapper(XML, names, method).queryAndConvert().getElementsByTagName("literal")[0].firstChild.data, "7")
    check("CSV", wrapper(CSV, names, method).queryAndConvert().split(), [b"n", b"7"])
    assert b"7" in wrapper(TSV, names, method).queryAndConvert()
    check("ASK", wrapper(JSON, "ASK { <http://ex/py> ?p 7 }", method).queryAndConvert()["boolean"], True)
    for fmt in (XML, RDFXML, TURTLE, N3):
        got = wrapper(fmt, "CONSTRUCT WHERE { <http://ex/py> ?p ?o }", method).queryAndConvert()
        graph = got if isinstance(got, Graph) else Graph().parse(data=got, format="turtle")
        check("CONSTRUCT " + fmt, len(graph), 2)
try:
    wrapper(JSON, "SELECT * {").query()
    raise AssertionError("a malformed query has an answer")
except Exception as e:
    assert "QueryBadFormed" in type(e).__name__, repr(e)

store = SPARQLUpdateStore(base + "/sparql", base + "/update")
graph = Graph(store, identifier=URIRef("http://ex/rdflib"))
graph.add((URIRef("http://ex/a"), URIRef("http://ex/b"), Literal("c", lang="fr")))
check("rdflib size", len(graph), 1)
check("rdflib triples", list(graph), [(URIRef("http://ex/a"), URIRef("http://ex/b"), Literal("c", lang="fr"))])
check("rdflib query", [str(r.n) for r in graph.query("SELECT ?n { ?s ?p ?n }")], ["c"])
graph.remove((None, None, None))
check("rdflib removed", len(graph), 0)
