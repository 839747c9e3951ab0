// Command interop shows what the prior system and rete make of each other's files, on nine
// graphs:
//
//	python3 -m venv VENV && VENV/bin/pip install rete-graph==0.3.6
//	cargo install rete-cli@0.5.0 --root CARGO
//	go run ./internal/interop -python VENV/bin/python -release CARGO/bin/rete
//
// Files of release 0.3.6 (0x05) and of release 0.5.0 (0x06, three and six orders) are verified,
// dumped, queried, also over HTTP, summarised, searched, folded with changes and compacted by
// rete; those of rete (0x05, packed and stored, three and six orders), and those that the tests of
// rete have of 0x06, by the releases. Every row is compared. Then both continue each other's
// manifests and journals. It prints a table, says below it what differs, and ends with 1 if
// anything does that docs/peers.md does not name.
//
// A release that is not given is left out.
package main
