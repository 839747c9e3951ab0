package parse_test

import (
	"strings"
	"testing"

	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/parse"
)

// Keywords need no blank after them: the tokens are the longest ones (SPARQL 1.1, 19.8).
func TestKeywordsEndByLongestMatch(t *testing.T) {
	const prefixes = "PREFIX ex: <http://ex/> PREFIX a: <http://a/> PREFIX FILTERx: <http://f/> "
	for _, c := range []struct{ joined, apart string }{
		{"SELECT*{?s?p?o FILTERsameTerm(?s,?o)}", "SELECT * { ?s ?p ?o FILTER sameTerm(?s, ?o) }"},
		{"SELECT*{?s?p?o FILTERNOTEXISTS{?o?p?s}}", "SELECT * { ?s ?p ?o FILTER NOT EXISTS { ?o ?p ?s } }"},
		{"SELECT*{?s?p?o FILTEREXISTS{?o?p?s}}", "SELECT * { ?s ?p ?o FILTER EXISTS { ?o ?p ?s } }"},
		{"SELECT*{?s?p?o FILTERisIRI(?s)}", "SELECT * { ?s ?p ?o FILTER isIRI(?s) }"},
		{"SELECT*{?s?p?o filterREGEX(?s,'a')}", "SELECT * { ?s ?p ?o FILTER REGEX(?s, 'a') }"},
		{"SELECT*{?s?p?o FILTERSTRSTARTS(STR(?s),'a')}", "SELECT * { ?s ?p ?o FILTER STRSTARTS(STR(?s), 'a') }"},
		{"SELECT*{?s?p?o FILTERSHA256(?s)}", "SELECT * { ?s ?p ?o FILTER SHA256(?s) }"},
		{"SELECTDISTINCT?s{?s?p?o}", "SELECT DISTINCT ?s { ?s ?p ?o }"},
		{"SELECTREDUCED*WHERE{?s?p?o}", "SELECT REDUCED * WHERE { ?s ?p ?o }"},
		{"SELECT(COUNT(DISTINCT?s)AS?n){?s?p?o}", "SELECT (COUNT(DISTINCT ?s) AS ?n) { ?s ?p ?o }"},
		{"SELECT(COUNT(DISTINCTENCODE_FOR_URI(?s))AS?n){?s?p?o}", "SELECT (COUNT(DISTINCT ENCODE_FOR_URI(?s)) AS ?n) { ?s ?p ?o }"},
		{"SELECT(GROUP_CONCAT(DISTINCTSTR(?s);SEPARATOR=',')AS?n){?s?p?o}", "SELECT (GROUP_CONCAT(DISTINCT STR(?s); SEPARATOR=',') AS ?n) { ?s ?p ?o }"},
		{"SELECT?s{?s?p?o}ORDERBY?s", "SELECT ?s { ?s ?p ?o } ORDER BY ?s"},
		{"SELECT?s{?s?p?o}ORDERBYDESC(?s)ASC(?p)LIMIT10OFFSET5", "SELECT ?s { ?s ?p ?o } ORDER BY DESC(?s) ASC(?p) LIMIT 10 OFFSET 5"},
		{"SELECT?s{?s?p?o}OFFSET5LIMIT10", "SELECT ?s { ?s ?p ?o } OFFSET 5 LIMIT 10"},
		{"SELECT?s{?s?p?o}LIMIT10OFFSET 5", "SELECT ?s { ?s ?p ?o } LIMIT 10 OFFSET 5"},
		{"SELECT?s{?s?p?o}GROUPBY?s HAVINGBOUND(?s)", "SELECT ?s { ?s ?p ?o } GROUP BY ?s HAVING BOUND(?s)"},
		{"SELECT?s{?s?p?o}GROUPBYSTR(?p)?s", "SELECT ?s { ?s ?p ?o } GROUP BY STR(?p) ?s"},
		{"SELECT?s FROMNAMED<http://ex/g>FROM<http://ex/h>WHERE{?s?p?o}", "SELECT ?s FROM NAMED <http://ex/g> FROM <http://ex/h> WHERE { ?s ?p ?o }"},
		{"SELECT*{SERVICESILENT<http://ex/s>{?s?p?o}}", "SELECT * { SERVICE SILENT <http://ex/s> { ?s ?p ?o } }"},
		{"SELECT*{SERVICESILENTex:s{?s?p?o}}", ""}, // a name with a prefix is longer
		{"SELECT*{?s a<http://ex/T>}", "SELECT * { ?s a <http://ex/T> }"},
		{"SELECT*{?s a?o}", "SELECT * { ?s a ?o }"},
		{"SELECT*{?s atrue}", "SELECT * { ?s a true }"},
		{"SELECT*{?s a12}", "SELECT * { ?s a 12 }"},
		{"SELECT*{?s aa:b}", ""},
		{"SELECT*{?s ^a|ex:p?o}", "SELECT * { ?s ^a | ex:p ?o }"},
		{"SELECT*{VALUES?x{UNDEFtrueFALSE1e5UNDEF1.5true}}", "SELECT * { VALUES ?x { UNDEF true false 1e5 UNDEF 1.5 true } }"},
		{"SELECT*{?s?p?o BIND(IF(?o INTRUE,1,2)AS?x)}", ""},
		{"SELECT*{?s?p?o BIND(?o NOTIN(1,2)AS?x)}", "SELECT * { ?s ?p ?o BIND(?o NOT IN (1, 2) AS ?x) }"},
		{"SELECT*{?s?p?o BIND(COALESCE(?o,1)AS?x)}", "SELECT * { ?s ?p ?o BIND(COALESCE(?o, 1) AS ?x) }"},
		{"SELECT*{{?s?p?o}UNION{?o?p?s}MINUS{?s a?o}OPTIONAL{?s?p?o}GRAPH?g{?s?p?o}}",
			"SELECT * { { ?s ?p ?o } UNION { ?o ?p ?s } MINUS { ?s a ?o } OPTIONAL { ?s ?p ?o } GRAPH ?g { ?s ?p ?o } }"},
		{"CONSTRUCTWHERE{?s?p?o}LIMIT1", "CONSTRUCT WHERE { ?s ?p ?o } LIMIT 1"},
		{"CONSTRUCTFROM<http://ex/g>WHERE{?s?p?o}", "CONSTRUCT FROM <http://ex/g> WHERE { ?s ?p ?o }"},
		{"DESCRIBE<http://ex/a>", "DESCRIBE <http://ex/a>"},
		{"DESCRIBE*WHERE{?s?p?o}", "DESCRIBE * WHERE { ?s ?p ?o }"},
		{"ASKWHERE{?s?p?o}", "ASK WHERE { ?s ?p ?o }"},
		{"ASKFROMNAMED<http://ex/g>{?s?p?o}", "ASK FROM NAMED <http://ex/g> { ?s ?p ?o }"},
		{"SELECT*{?s?p?o FILTERFILTERx:f(?s)}", ""},
		{"SELECT*{?s?p?o FILTER FILTERx:f(?s)}", "SELECT * { ?s ?p ?o FILTER <http://f/f>(?s) }"},
		{"SELECT*{?s?p?o BINDexpr(?s)}", ""},
		{"SELECT*{?s?p?o FILTERS(?s)}", ""},
		{"SELECTED*{?s?p?o}", ""},
		{"SELECT*{?s?p?o FILTER_sameTerm(?s,?o)}", ""},
		{"SELECT*{?s?p?o}LIMITTEN", ""},
	} {
		got, err := parse.Query(prefixes+c.joined, nil)
		if c.apart == "" {
			if err == nil {
				t.Errorf("%s: no error", c.joined)
			}
			continue
		}
		want, wantErr := parse.Query(prefixes+c.apart, nil)
		if err != nil || wantErr != nil {
			t.Errorf("%s: %v, %v", c.joined, err, wantErr)
			continue
		}
		sameTree(t, got, want)
	}
	for _, c := range []struct{ joined, apart string }{
		{"INSERTDATA{<a:s>a<a:o>}", "INSERT DATA { <a:s> a <a:o> }"},
		{"DELETEWHERE{?s?p?o};DELETEDATA{<a:s>a<a:o>}", "DELETE WHERE { ?s ?p ?o } ; DELETE DATA { <a:s> a <a:o> }"},
		{"WITH<a:g>DELETE{?s?p?o}INSERT{?s?p?o}USINGNAMED<a:g>WHERE{?s?p?o}", "WITH <a:g> DELETE { ?s ?p ?o } INSERT { ?s ?p ?o } USING NAMED <a:g> WHERE { ?s ?p ?o }"},
		{"CLEARSILENTALL;DROPNAMED;CLEARDEFAULT;DROPSILENTGRAPH<a:g>", "CLEAR SILENT ALL ; DROP NAMED ; CLEAR DEFAULT ; DROP SILENT GRAPH <a:g>"},
		{"LOADSILENT<a:x>INTOGRAPH<a:g>;CREATESILENTGRAPH<a:h>", "LOAD SILENT <a:x> INTO GRAPH <a:g> ; CREATE SILENT GRAPH <a:h>"},
		{"COPYDEFAULTTO<a:g>;MOVESILENT<a:g>TODEFAULT;ADDGRAPH<a:g>TO<a:h>", "COPY DEFAULT TO <a:g> ; MOVE SILENT <a:g> TO DEFAULT ; ADD GRAPH <a:g> TO <a:h>"},
	} {
		got, err := parse.Update(c.joined, nil)
		want, wantErr := parse.Update(c.apart, nil)
		if err != nil || wantErr != nil {
			t.Errorf("%s: %v, %v", c.joined, err, wantErr)
			continue
		}
		sameTree(t, got, want)
	}
}

// A long word of keywords is read once.
func TestManyKeywordsWithoutBlanks(t *testing.T) {
	q, err := parse.Query("SELECT * { VALUES ?x {"+strings.Repeat("trueFALSE", 200_000)+"} }", nil)
	if err != nil || q.Where.Elements[0].(*ast.Values).Rows.N != 400_000 {
		t.Error(err)
	}
}
