// Package scan puts the terms of rows into Go values.
package scan

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Row puts the columns of a row into pointers, or into the fields of one struct. surface gives
// the surface of the term of a column, empty if it is unbound.
func Row(dst []any, vars []string, surface func(column int) []byte) error {
	if len(dst) == 1 {
		if v := reflect.ValueOf(dst[0]); isStruct(v) {
			return fields(v.Elem(), vars, surface)
		}
	}
	if len(dst) != len(vars) {
		return fmt.Errorf("sparql: Scan into %d values of a row with %d columns: %s", len(dst), len(vars), names(vars))
	}
	for i, d := range dst {
		if err := into(d, surface(i)); err != nil {
			return fmt.Errorf("sparql: Scan of ?%s: %w", vars[i], err)
		}
	}
	return nil
}

// isStruct reports whether v points to a struct whose fields are filled, and not to one that
// is a value.
func isStruct(v reflect.Value) bool {
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Type().Elem().Kind() != reflect.Struct {
		return false
	}
	if _, ok := v.Interface().(scanner); ok {
		return false
	}
	t := v.Type().Elem()
	return t != timeType && t != termType
}

// fields fills the tagged fields of a struct.
func fields(v reflect.Value, vars []string, surface func(column int) []byte) error {
	list := tagged(v.Type())
	if len(list) == 0 {
		return fmt.Errorf("sparql: Scan into a %s, of which no field has a tag as `rete:\"name\"`", v.Type())
	}
	for _, f := range list {
		i := slices.Index(vars, f.column)
		if i < 0 {
			return fmt.Errorf("sparql: Scan into %s.%s: ?%s is none of the columns %s", v.Type(), f.name, f.column, names(vars))
		}
		if !f.exported {
			return fmt.Errorf("sparql: Scan into %s.%s: the field is not exported", v.Type(), f.name)
		}
		at, err := v.FieldByIndexErr(f.index)
		if err != nil {
			return fmt.Errorf("sparql: Scan into %s.%s: %w", v.Type(), f.name, err)
		}
		if err := into(at.Addr().Interface(), surface(i)); err != nil {
			return fmt.Errorf("sparql: Scan of ?%s into %s.%s: %w", f.column, v.Type(), f.name, err)
		}
	}
	return nil
}

// field is a field with a tag.
type field struct {
	name, column string
	index        []int
	exported     bool
}

var known sync.Map // the fields of a struct by its reflect.Type

func tagged(t reflect.Type) []field {
	if list, ok := known.Load(t); ok {
		return list.([]field)
	}
	var list []field
	for _, f := range reflect.VisibleFields(t) {
		if tag := f.Tag.Get("rete"); tag != "" && tag != "-" {
			list = append(list, field{f.Name, strings.TrimLeft(tag, "?$"), f.Index, f.IsExported()})
		}
	}
	known.Store(t, list)
	return list
}

func names(vars []string) string {
	if len(vars) == 0 {
		return "(none)"
	}
	return "?" + strings.Join(vars, " ?")
}
