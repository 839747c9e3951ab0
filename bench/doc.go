// Package bench measures rete: `go test -bench . ./bench` runs the work that a
// user waits for (build, scan, fold, joins, compaction) on generated data, and
// reports quads per second and a ratio to a limit that is measured in the same
// run, because machines differ and are noisy.
//
// The flag -scale sets the number of statements, 200,000 by default:
//
//	go test -bench . ./bench -scale 1000000
//
// Package record is a command that measures a commit and keeps what came out, and check one that
// compares this tree with it; docs/performance.md shows it.
//
// Package peers is a command that runs the queries on rete and on other engines, in
// process and as servers, and compares their answers and their times.
//
// The data sets are in the packages below: social, ecommerce, products, university, graphs and
// paths are generated, movies is a real graph. Package sets names them, package
// generate is a command that writes them, and the packages gen and workload hold what
// they have in common. Package shapes has the query shapes of the social set.
package bench
