package dialect

import (
	"bytes"

	"stele/internal/jsonscan"
)

// OrderNote says what OrderProperties did.
const OrderNote = propertyOrdering + " is the order of the properties"

const propertyOrdering = "propertyOrdering"

// OrderProperties puts properties into the order that Google's propertyOrdering says, which other
// APIs do not know, and reports whether there was one.
func OrderProperties(schema []byte) (out []byte, changed bool) {
	if !bytes.Contains(schema, []byte(propertyOrdering)) { // nearly always
		return schema, false
	}
	var o orderer
	if o.writeValue(jsonscan.At(schema, 0), 0); !o.changed {
		return schema, false
	}
	return o.Bytes(), true
}

// orderer writes a schema anew, its properties in their order.
type orderer struct {
	jsonscan.Writer
	changed bool
}

func (o *orderer) writeValue(v jsonscan.Value, depth int) {
	switch kind := v.Kind(); {
	case depth > deepestSchema || kind != jsonscan.Object && kind != jsonscan.Array:
		o.Raw(v.Raw())
	case kind == jsonscan.Array:
		o.Open(kind)
		for _, inner := range v.Elements() {
			o.writeValue(inner, depth+1)
		}
		o.Close(kind)
	default:
		o.writeSchema(v, depth)
	}
}

func (o *orderer) writeSchema(v jsonscan.Value, depth int) {
	order := v.Get(propertyOrdering)
	ordered := order.Kind() == jsonscan.Array
	o.changed = o.changed || ordered
	o.Open(jsonscan.Object)
	for key, inner := range v.Members() {
		switch {
		case ordered && key.Name == propertyOrdering:
		case ordered && key.Name == "properties" && inner.Kind() == jsonscan.Object:
			o.Key(key.Name)
			o.writeProperties(inner, order, depth+1)
		default:
			o.Key(key.Name)
			o.writeValue(inner, depth+1)
		}
	}
	o.Close(jsonscan.Object)
}

// writeProperties writes those that are named first.
func (o *orderer) writeProperties(v, order jsonscan.Value, depth int) {
	at := make(map[string]jsonscan.Value)
	for key, inner := range v.Members() {
		at[key.Name] = inner
	}
	o.Open(jsonscan.Object)
	for _, name := range order.Elements() {
		if inner, ok := at[name.View()]; ok {
			delete(at, name.View())
			o.Key(name.View())
			o.writeValue(inner, depth+1)
		}
	}
	for key, inner := range v.Members() {
		if _, left := at[key.Name]; left {
			o.Key(key.Name)
			o.writeValue(inner, depth+1)
		}
	}
	o.Close(jsonscan.Object)
}
