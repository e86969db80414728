package manifest

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
	"time"
)

var (
	durationType = reflect.TypeFor[time.Duration]()
	nodeType     = reflect.TypeFor[*Node]()
)

// decode sets v, which can be set, to what n says and reports what does not fit.
func (n *Node) decode(v reflect.Value) {
	if v.Type() == nodeType {
		v.Set(reflect.ValueOf(n))
		return
	}
	if n.kind == Null {
		return
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		n.decode(v.Elem())
		return
	}
	switch into := v.Addr().Interface().(type) {
	case Unmarshaler:
		into.UnmarshalManifest(n)
		return
	case encoding.TextUnmarshaler:
		n.decodeText(into)
		return
	}
	switch {
	case v.Type() == durationType:
		n.decodeDuration(v)
	case v.Kind() == reflect.Struct:
		n.decodeStruct(v)
	case v.Kind() == reflect.Slice:
		n.decodeSlice(v)
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		n.decodeMap(v)
	case v.Kind() == reflect.Interface && v.NumMethod() == 0:
		v.Set(reflect.ValueOf(n.value()))
	default:
		n.decodeScalar(v)
	}
}

func (n *Node) decodeStruct(v reflect.Value) {
	fields := fieldsOf(v)
	for key, value := range n.Entries() {
		field, known := fields.byName[key]
		if !known {
			n.reportUnknown(key, value, fields.names)
			continue
		}
		value.decode(field)
	}
}

func (n *Node) reportUnknown(key string, value *Node, known []string) {
	message := fmt.Sprintf("unknown field %q", shorten(key))
	path := n.path()
	if len(path) > 0 {
		message += " in " + path.String()
	}
	n.doc.problems = append(n.doc.problems, Problem{
		File: n.doc.file, Line: value.keyLine, Column: value.keyColumn,
		Path: path.Add(key).String(), Message: message + DidYouMean(key, known),
	})
}

func (n *Node) decodeSlice(v reflect.Value) {
	out := reflect.MakeSlice(v.Type(), len(n.items), len(n.items))
	for i, item := range n.Items() {
		if item.kind == Null && v.Type().Elem().Kind() != reflect.Interface {
			item.Report("expected a value, found nothing")
			continue
		}
		item.decode(out.Index(i))
	}
	if n.kind == List {
		v.Set(out)
	}
}

func (n *Node) decodeMap(v reflect.Value) {
	t := v.Type()
	out := reflect.MakeMapWithSize(t, len(n.entries))
	for key, value := range n.Entries() {
		if value.kind == Null && t.Elem().Kind() != reflect.Interface {
			continue
		}
		elem := reflect.New(t.Elem()).Elem()
		value.decode(elem)
		out.SetMapIndex(reflect.ValueOf(key).Convert(t.Key()), elem)
	}
	if n.kind == Mapping {
		v.Set(out)
	}
}

// fields are a struct's settable fields by the name in their tag.
type fields struct {
	byName map[string]reflect.Value
	names  []string // in the order of the struct
}

// fieldsOf finds the tagged fields of v. Those of an embedded struct without a tag
// count as v's own.
func fieldsOf(v reflect.Value) fields {
	out := fields{byName: make(map[string]reflect.Value)}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if field.Anonymous && name == "" && field.Type.Kind() == reflect.Struct {
			inner := fieldsOf(v.Field(i))
			for _, name := range inner.names {
				out.add(name, inner.byName[name])
			}
			continue
		}
		if field.IsExported() && name != "" && name != "-" {
			out.add(name, v.Field(i))
		}
	}
	return out
}

func (f *fields) add(name string, v reflect.Value) {
	f.byName[name] = v
	f.names = append(f.names, name)
}
