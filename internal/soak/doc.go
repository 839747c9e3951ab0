// Command soak puts the real server under work that lasts, and checks it against
// models. Each kind of work is a subcommand; its short form is a test of this
// package.
//
//	go run ./internal/soak crash -rounds 5000    # SIGKILL under load, again and again
//	go run ./internal/soak power -cuts 5000      # the power is cut under commands and a server
//	go run ./internal/soak linear -lives 500     # histories of clients have one order
//	go run ./internal/soak counter -each 1000    # 16 clients count together over HTTP
//	go run ./internal/soak shells -steps 500     # shells, a server and a second writer
//	go run ./internal/soak load -time 1h         # flat memory and latency, nothing left
//	go run ./internal/soak speed -large 10000000 # durable writes against bare appends, and with net/http
//	go run ./internal/soak peers -python PATH    # the same writes on Oxigraph
//
// The server is `rete serve`, built once by `go build`, or the program of -rete.
// Every command prints its seed; the same seed draws the same work, though not the
// same moments.
package main
