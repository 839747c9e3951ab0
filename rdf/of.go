package rdf

import (
	"fmt"
	"math/big"
	"net/url"
	"reflect"
	"strconv"
	"time"

	"github.com/rete-go/rete/internal/xsdfloat"
)

// Datatypes of Go values that nothing else here names.
const (
	xsdFloat    = XSD + "float"
	xsdDateTime = XSD + "dateTime"
)

// Of returns the term of a Go value, spelled as SPARQL spells its own results:
//
//	string                    the plain literal
//	bool                      xsd:boolean
//	int…, uint…, *big.Int     xsd:integer
//	float32, float64          xsd:float, xsd:double
//	time.Time                 xsd:dateTime with its zone; in UTC if the zone is not of whole
//	                          minutes or more than 14 hours from UTC
//	[]byte                    the plain literal of the text
//	*url.URL, url.URL         the IRI, which must be absolute
//	Term                      itself
//
// Types made from these are as these, and a pointer is as what it points to; nil gives the zero
// Term. Other values are an error, also a [time.Duration], which RDF has several datatypes for.
func Of(v any) (Term, error) {
	switch v := v.(type) {
	case nil:
		return Term{}, nil
	case Term:
		return v, nil
	case string:
		return String(v), nil
	case []byte:
		return String(string(v)), nil
	case time.Time:
		return ofTime(v), nil
	case time.Duration:
		return Term{}, fmt.Errorf("rdf: a time.Duration has several terms: use Typed")
	case big.Int:
		return Typed(v.String(), XSDInteger), nil
	case url.URL:
		if t := IRI(v.String()); v.IsAbs() && t.Valid() {
			return t, nil
		}
		return Term{}, fmt.Errorf("rdf: the URL %q is not an absolute IRI", v.String())
	}
	return ofKind(reflect.ValueOf(v))
}

// ofKind is [Of] of what a type is made from.
func ofKind(v reflect.Value) (Term, error) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return Term{}, nil
		}
		return Of(v.Elem().Interface())
	case reflect.String:
		return String(v.String()), nil
	case reflect.Bool:
		return Boolean(v.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Integer(v.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return Typed(strconv.FormatUint(v.Uint(), 10), XSDInteger), nil
	case reflect.Float32:
		return Typed(string(xsdfloat.Append(nil, v.Float(), 32)), xsdFloat), nil
	case reflect.Float64:
		return Typed(string(xsdfloat.Append(nil, v.Float(), 64)), XSDDouble), nil
	}
	return Term{}, fmt.Errorf("rdf: a %s has no term", v.Type())
}

func ofTime(t time.Time) Term {
	const most = 14 * 60 * 60
	if _, offset := t.Zone(); offset%60 != 0 || offset > most || offset < -most {
		t = t.UTC()
	}
	return Typed(t.Format("2006-01-02T15:04:05.999999999Z07:00"), xsdDateTime)
}
