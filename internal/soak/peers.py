"""Measures small writes on Oxigraph's durable store; prints a line of JSON."""

import json
import sys
import time

try:
    import pyoxigraph as ox
except ImportError:
    print(json.dumps({"missing": True}))
    sys.exit(0)

folder, data, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
store = ox.Store(folder)
start = time.perf_counter()
store.bulk_load(path=data, format=ox.RdfFormat.N_TRIPLES)
loaded = time.perf_counter() - start
number = 0


def insert():
    global number
    number += 1
    store.update(f"INSERT DATA {{ <http://ex/person/{number % 1000}> <http://ex/p1> {number} }}")


def durable():
    insert()
    store.flush()


def rate(work):
    n, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        work()
        n += 1
    return n / (time.perf_counter() - begin)


def read_after_write():
    took, begin = [], time.perf_counter()
    while time.perf_counter() - begin < seconds or len(took) < 100:
        insert()
        start = time.perf_counter()
        n = len(list(store.query(f"SELECT ?p ?o {{ <http://ex/person/{number % 1000}> ?p ?o }}")))
        took.append((time.perf_counter() - start) * 1000)
        assert n >= 6, n
    took.sort()
    return took[len(took) // 2]


print(json.dumps({
    "version": ox.__version__, "load": loaded, "writes": rate(insert), "durable": rate(durable),
    "read": read_after_write(),
}))
