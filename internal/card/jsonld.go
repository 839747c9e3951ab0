package card

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/rete-go/rete/rdf"
)

// File is a file that has the whole dataset, or a part of it.
type File struct {
	Name      string
	URL       string // where it is fetched, perhaps relative to the page
	MediaType string
	Size      int64  // bytes; 0 if it is not known
	SHA256    string // in hex; "" if it is not known
}

// Place is where a dataset is published. Each part may be missing.
type Place struct {
	Page  string // address of the page about it
	Files []File
}

// object is an object of JSON-LD.
type object = map[string]any

// listed is how many classes, predicates and namespaces a description in RDF has at most, the most
// frequent ones.
const listed = 256

// JSONLD returns the card in JSON-LD: a Dataset of schema.org and of Croissant 1.0, with the counts of VoID.
func (c *Card) JSONLD(at Place) any {
	d := object{
		"@context": c.context(), "@type": []string{"sc:Dataset", "void:Dataset"}, "conformsTo": "http://mlcommons.org/croissant/1.0",
		"void:triples": c.Triples, "void:properties": c.Predicates,
	}
	for key, value := range map[string]string{
		"@id": c.Dataset, "url": at.Page, "name": c.Title, "description": c.Description, "license": c.License, "isBasedOn": c.Source,
		"datePublished": c.Published, "version": c.Version,
	} {
		if value != "" {
			d[key] = value
		}
	}
	if !c.MoreClasses {
		d["void:classes"] = c.Classes
	}
	lists := map[string][]object{}
	for _, name := range c.Creators {
		lists["creator"] = append(lists["creator"], agent(name))
	}
	for _, f := range at.Files {
		lists["distribution"] = append(lists["distribution"], f.object())
	}
	for _, ns := range c.Vocabulary[:min(len(c.Vocabulary), listed)] {
		lists["void:vocabulary"] = append(lists["void:vocabulary"], object{"@id": ns.IRI})
	}
	for _, k := range c.classes {
		if iri, ok := iriOf(k.Class); ok {
			lists["void:classPartition"] = append(lists["void:classPartition"], object{"void:class": object{"@id": iri}, "void:entities": k.Count})
		}
	}
	for _, p := range c.predicates[:min(len(c.predicates), listed)] {
		if iri, ok := iriOf(p.Name); ok {
			lists["void:propertyPartition"] = append(lists["void:propertyPartition"], object{"void:property": object{"@id": iri}, "void:triples": p.Triples})
		}
	}
	for key, list := range lists {
		d[key] = list
	}
	if len(c.Keywords) > 0 {
		d["keywords"] = c.Keywords
	}
	return d
}

// croissantKeys are the keys of Croissant 1.0 that stand for properties of its own of the same name. Its readers
// expect all of them in a context.
const croissantKeys = "citeAs column equivalentProperty extract field fileProperty fileObject fileSet format includes isLiveDataset jsonPath " +
	"key md5 parentField path recordSet references regex repeated replace samplingRate separator source subField transform"

// context is that of Croissant 1.0, with VoID.
func (c *Card) context() object {
	o := object{
		"@language": cmp.Or(c.language, "en"), "@vocab": "https://schema.org/", "sc": "https://schema.org/", "cr": "http://mlcommons.org/croissant/",
		"rai": "http://mlcommons.org/croissant/RAI/", "dct": "http://purl.org/dc/terms/", "void": VoID, "conformsTo": "dct:conformsTo",
		"data": object{"@id": "cr:data", "@type": "@json"}, "examples": object{"@id": "cr:examples", "@type": "@json"},
		"dataType": object{"@id": "cr:dataType", "@type": "@vocab"},
	}
	for key := range strings.FieldsSeq(croissantKeys) {
		o[key] = "cr:" + key
	}
	return o
}

// agent is a person or an organization, of which only the name is known, or the IRI.
func agent(name string) object {
	if named(name).Kind() == rdf.KindIRI {
		return object{"@type": "Person", "@id": name, "url": name}
	}
	return object{"@type": "Person", "name": name}
}

func (f *File) object() object {
	o := object{"@type": "cr:FileObject", "@id": f.Name, "name": f.Name, "contentUrl": f.URL, "encodingFormat": f.MediaType}
	if f.Size > 0 {
		o["contentSize"] = fmt.Sprintf("%d B", f.Size)
	}
	if f.SHA256 != "" {
		o["sha256"] = f.SHA256
	}
	return o
}

// Missing lists what Croissant 1.0 wants and the card and its place do not have.
func (c *Card) Missing(at Place) (list []string) {
	for _, want := range []struct {
		name string
		has  bool
	}{
		{"title", c.Title != ""}, {"description", c.Description != ""}, {"licence", c.License != ""}, {"creator", len(c.Creators) > 0},
		{"date of publication", c.Published != ""}, {"page", at.Page != ""}, {"file", len(at.Files) > 0},
	} {
		if !want.has {
			list = append(list, want.name)
		}
	}
	return list
}
