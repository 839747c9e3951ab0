// Package server serves a database over HTTP: the SPARQL 1.1 Protocol, the Graph
// Store Protocol, a service description, health, metrics and administration.
//
// A [Server] answers for a [Store], which [Database] makes of a rete.DB; nothing else in it
// knows how quads are stored. Who may do what is a [Scope], shown by one of the [Tokens].
//
//	handler, err := server.New(server.Database(db), &server.Options{})
//	…
//	err = handler.Serve(ctx, listener) // until ctx ends, then gracefully
//
// A Server is an http.Handler too, at every path: http.StripPrefix takes the path off, and
// the addresses that the server makes have it. In a program's own http.Server, start Watch, which
// follows commits of others, and call Close at the end; nobody calls [CheckBind] there, and without
// tokens every client that reaches it has all scopes.
//
//	mux.Handle("/graph/", http.StripPrefix("/graph", handler))
//	go handler.Watch(ctx)
//
// It answers at /sparql, /query, /update and /store, /health, /ready and /metrics, /admin/… and
// /.well-known/void, and has a page for people at /. [Options] take the logger, the tracer and the
// Prometheus registry of the program.
//
// What it promises:
//
//   - A failure before the first bytes of an answer has a status and a problem
//     document (RFC 9457). The first 64 KiB or 100 ms are held back for that. A
//     failure after them cuts the connection off: no answer that is not whole ever
//     looks whole, whatever its coding.
//   - The ETag of an answer is known before the query runs, so a client that has it
//     costs no query. A query that does not repeat (NOW, RAND, SERVICE, …) has none.
//   - Without tokens the server is for its own machine: [CheckBind]. Changes that a
//     web page of another origin asks for are refused.
//   - Time, memory, bodies, running queries and the queue before them have limits.
package server
