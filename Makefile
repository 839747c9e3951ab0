# What CONTRIBUTING.md says in full, in short words.

.PHONY: dist test ci

# Archives for all systems, deb and rpm, checksums; needs Go alone.
dist:
	go run ./internal/dist -out dist

test:
	go test ./...

ci:
	bash .ci/run
