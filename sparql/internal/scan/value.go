package scan

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/value"
)

var (
	timeType = reflect.TypeFor[time.Time]()
	termType = reflect.TypeFor[rdf.Term]()
)

// scanner is sql.Scanner.
type scanner interface{ Scan(src any) error }

var errUnbound = errors.New("it is unbound, which a pointer to the type or a sql.Null takes")

// into puts a term into what dst points to.
func into(dst any, surface []byte) error {
	switch d := dst.(type) {
	case nil:
		return nil
	case *rdf.Term:
		*d = rdf.FromSurface(string(surface))
		return nil
	case *any:
		*d = natural(surface)
		return nil
	case scanner:
		v := natural(surface)
		if t, ok := v.(rdf.Term); ok {
			v = textOf(t)
		}
		return d.Scan(v)
	}
	p := reflect.ValueOf(dst)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return fmt.Errorf("a %T is no pointer to a value", dst)
	}
	return set(p.Elem(), surface)
}

// set puts a term into a value that can be set.
func set(to reflect.Value, surface []byte) error {
	if to.Kind() == reflect.Pointer {
		if len(surface) == 0 {
			to.SetZero()
			return nil
		}
		fresh := reflect.New(to.Type().Elem())
		if err := into(fresh.Interface(), surface); err != nil {
			return err
		}
		to.Set(fresh)
		return nil
	}
	if len(surface) == 0 {
		return errUnbound
	}
	v := value.Decode(surface)
	ok := false
	switch {
	case to.Type() == timeType:
		var t time.Time
		if t, ok = v.Time(); ok {
			to.Set(reflect.ValueOf(t))
		}
	case to.Kind() == reflect.String:
		to.SetString(textOf(rdf.FromSurface(string(surface))))
		return nil
	case to.Kind() == reflect.Slice && to.Type().Elem().Kind() == reflect.Uint8:
		to.SetBytes([]byte(textOf(rdf.FromSurface(string(surface)))))
		return nil
	default:
		ok = setNumber(to, v)
	}
	if !ok {
		return fmt.Errorf("%s does not go into a %s", rdf.FromSurface(string(surface)), to.Type())
	}
	return nil
}

// setNumber puts a number or boolean into a value; false if that does not hold it.
func setNumber(to reflect.Value, v value.Value) bool {
	switch {
	case to.CanInt():
		n, ok := v.Int64()
		if ok = ok && !to.OverflowInt(n) && to.Type() != reflect.TypeFor[time.Duration](); ok {
			to.SetInt(n)
		}
		return ok
	case to.CanUint():
		n, ok := unsigned(v)
		if ok = ok && !to.OverflowUint(n); ok {
			to.SetUint(n)
		}
		return ok
	case to.CanFloat():
		f, ok := v.Float64()
		if ok = ok && (math.IsInf(f, 0) || !to.OverflowFloat(f)); ok {
			to.SetFloat(f)
		}
		return ok
	case to.Kind() == reflect.Bool:
		b, ok := v.Bool()
		if ok {
			to.SetBool(b)
		}
		return ok
	}
	return false
}

// natural is the Go value of a term: nil if there is none, the term itself if no type of Go is
// as its datatype.
func natural(surface []byte) any {
	if len(surface) == 0 {
		return nil
	}
	v := value.Decode(surface)
	switch v.Kind() {
	case value.String:
		return rdf.FromSurface(string(surface)).Value()
	case value.Boolean:
		b, _ := v.Bool()
		return b
	case value.Integer:
		if n, ok := v.Int64(); ok {
			return n
		}
	case value.Decimal, value.Float, value.Double:
		f, _ := v.Float64()
		return f
	case value.DateTime, value.Date:
		t, _ := v.Time()
		return t
	}
	return rdf.FromSurface(string(surface))
}

// textOf is the text of a term; of a triple term as N-Triples writes it.
func textOf(t rdf.Term) string {
	if t.Kind() == rdf.KindTriple {
		return t.String()
	}
	return t.Value()
}

// unsigned returns an integer from 0 to 2^64-1.
func unsigned(v value.Value) (uint64, bool) {
	if n, ok := v.Int64(); ok || v.Kind() != value.Integer {
		return uint64(n), ok && n >= 0
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(v.Text(), "+"), 10, 64)
	return n, err == nil
}
