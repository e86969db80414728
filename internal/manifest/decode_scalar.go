package manifest

import (
	"encoding"
	"fmt"
	"reflect"
	"time"
)

func (n *Node) decodeScalar(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		n.decodeString(v)
	case reflect.Bool:
		if n.as() != Bool {
			n.complain("true or false")
			return
		}
		v.SetBool(n.boolean())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n.decodeInt(v)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n.decodeUint(v)
	case reflect.Float32, reflect.Float64:
		n.decodeFloat(v)
	default:
		panic(fmt.Sprintf("manifest: cannot decode into %s", v.Type()))
	}
}

func (n *Node) decodeString(v reflect.Value) {
	switch n.kind {
	case Text:
		v.SetString(n.text)
	case Bool, Int, Float:
		n.Report("expected text, found %s; put it in quotes", n.kind)
	default:
		n.complain("text")
	}
}

func (n *Node) decodeInt(v reflect.Value) {
	if n.as() != Int {
		n.complain("a whole number")
		return
	}
	i, err := n.integer()
	if err != nil || v.OverflowInt(i) {
		n.Report("the number is too large")
		return
	}
	v.SetInt(i)
}

func (n *Node) decodeUint(v reflect.Value) {
	if n.as() != Int {
		n.complain("a whole number")
		return
	}
	i, err := n.integer()
	if err == nil && i < 0 {
		n.Report("must not be negative")
		return
	}
	if err != nil || v.OverflowUint(uint64(i)) {
		n.Report("the number is too large")
		return
	}
	v.SetUint(uint64(i))
}

func (n *Node) decodeFloat(v reflect.Value) {
	if kind := n.as(); kind != Int && kind != Float {
		n.complain("a number")
		return
	}
	f, err := n.number()
	if err != nil || v.OverflowFloat(f) {
		n.Report("the number is too large or not finite")
		return
	}
	v.SetFloat(f)
}

func (n *Node) decodeDuration(v reflect.Value) {
	if n.kind == List || n.kind == Mapping {
		n.complain("a duration such as 30s or 720h")
		return
	}
	// A bare 0 needs no unit; any other bare number does, and ParseDuration says so.
	d, err := time.ParseDuration(n.text)
	if err != nil {
		n.Report("expected a duration such as 30s or 720h")
		return
	}
	v.SetInt(int64(d))
}

// decodeText hands over any scalar as it is written, so that a type may read
// numbers its own way.
func (n *Node) decodeText(into encoding.TextUnmarshaler) {
	if n.kind == List || n.kind == Mapping {
		n.complain("text")
		return
	}
	err := into.UnmarshalText([]byte(n.text))
	if err == nil {
		return
	}
	if n.expanded {
		// The error may quote a value from the environment.
		n.Report("the variable's value is not valid here")
		return
	}
	n.Report("%v", err)
}

// value returns n for a field of type any: nil, bool, int64, float64, string,
// []any or map[string]any.
func (n *Node) value() any {
	switch n.kind {
	case Bool:
		return n.boolean()
	case Int, Float:
		return n.numeral()
	case Text:
		return n.text
	case List:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = item.value()
		}
		return list
	case Mapping:
		mapping := make(map[string]any, len(n.entries))
		for _, e := range n.entries {
			mapping[e.key] = e.value.value()
		}
		return mapping
	}
	return nil
}

func (n *Node) numeral() any {
	if n.kind == Int {
		if i, err := n.integer(); err == nil {
			return i
		}
	}
	f, err := n.number()
	if err != nil {
		n.Report("the number is too large or not finite")
	}
	return f
}
