package growtext

// Updates are the dimensions of update requests.
var Updates = []Dimension{
	{Name: "INSERT DATA", Text: list("INSERT DATA {", "<urn:s#> <urn:p> # . ", "}")},
	{Name: "INSERT DATA in graphs", Text: list("INSERT DATA {", "GRAPH <urn:g#> { <urn:s#> <urn:p> # } ", "}")},
	{Name: "INSERT DATA of labels", Text: list("INSERT DATA {", "_:b# <urn:p> # . ", "}")},
	{Name: "INSERT DATA of objects", Text: list("INSERT DATA { <urn:s> <urn:p> 0", ", #", " }")},
	{Name: "INSERT DATA of a list", Text: list("INSERT DATA { <urn:s> <urn:p> (", " #", ") }")},
	{Name: "INSERT DATA of triple terms", Text: list("INSERT DATA {", "<urn:s> <urn:p> <<( _:b# <urn:p> # )>> . ", "}")},
	{Name: "DELETE DATA", Text: list("DELETE DATA {", "<urn:s#> <urn:p> # . ", "}")},
	{Name: "DELETE WHERE", Text: list("DELETE WHERE {", "<urn:s1> <urn:p> ?x# . ", "}"), Most: elements},
	{Name: "DELETE WHERE in graphs", Text: list("DELETE WHERE {", "GRAPH ?g# { <urn:s1> <urn:p> ?x# } ", "}"), Most: elements},
	{Name: "templates", Text: two("DELETE {", "<urn:s> <urn:p> ?x# . ", "} INSERT {", "<urn:s> <urn:q#> ?x . ", "} WHERE { ?s ?p ?x }")},
	{Name: "templates of labels", Text: list("INSERT {", "_:b# <urn:p> ?x . ", "} WHERE { ?s ?p ?x }")},
	{Name: "USING", Text: list("DELETE { ?s ?p ?o } ", "USING <urn:g#> ", " WHERE { ?s ?p ?o }")},
	{Name: "operations", Text: list("", "INSERT DATA { <urn:s#> <urn:p> # };\n", "")},
	{Name: "operations with labels", Text: list("", "INSERT DATA { _:b# <urn:p> # };\n", "")},
	{Name: "operations with WHERE", Text: list("", "DELETE WHERE { <urn:s#> <urn:p> ?o };\n", "")},
	{Name: "operations with prefixes", Text: list("", "PREFIX p#: <urn:s#> INSERT DATA { p#:s <urn:p> # };\n", "")},
	{Name: "CLEAR", Text: list("", "CLEAR SILENT GRAPH <urn:g#>;\n", "")},
	{Name: "LOAD", Text: list("", "LOAD SILENT <urn:s#>;\n", "")},
	{Name: "ADD", Text: list("", "ADD SILENT <urn:s#> TO <urn:s#+>;\n", "")},
	{Name: "nested data", Text: nest("INSERT DATA { <urn:s> <urn:p> ", "[ <urn:p> ", "1", " ]", " }"), Most: depth},
}
