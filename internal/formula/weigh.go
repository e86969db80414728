package formula

import "reflect"

// weigh goes through a whole value and gives its bytes as if it were written out. A
// list can hold another one twice, and that one a third twice: what is small in
// memory may be endless for whatever writes, compares or prints it.
func (b *Budget) weigh(v any, depth int) int64 {
	b.step(1)
	if depth > deepest {
		b.refuse("this is nested more than %d deep", deepest)
	}
	switch v := v.(type) {
	case nil, bool, int, int64, float64, uint8:
		return cell
	case string:
		b.read(len(v))
		return cell + int64(len(v))
	case []any:
		n := int64(cell)
		for _, item := range v {
			n += b.weigh(item, depth+1)
		}
		return n
	case map[string]any:
		n := int64(cell)
		for name, item := range v {
			n += cell + int64(len(name)) + b.weigh(item, depth+1)
		}
		return n
	case []string:
		n := int64(cell)
		for _, item := range v {
			n += b.weigh(item, depth+1)
		}
		return n
	case []int:
		b.step(int64(len(v)))
		return cell * int64(len(v)+1)
	case []byte:
		b.read(len(v))
		return cell + int64(len(v))
	}
	return b.weighOther(reflect.ValueOf(v), depth)
}

func (b *Budget) weighOther(v reflect.Value, depth int) int64 {
	n := int64(cell)
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			n += b.weigh(v.Index(i).Interface(), depth+1)
		}
	case reflect.Map:
		for i := v.MapRange(); i.Next(); {
			n += b.weigh(i.Key().Interface(), depth+1) + b.weigh(i.Value().Interface(), depth+1)
		}
	}
	return n
}

// plain reports whether a value has nothing inside.
func plain(v any) bool {
	switch v.(type) {
	case nil, bool, int, int64, float64, string, uint8:
		return true
	}
	switch reflect.ValueOf(v).Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return false
	}
	return true
}

// lengthOf is how many items a value has, 0 where it has none.
func lengthOf(v any) int {
	switch v := v.(type) {
	case []any:
		return len(v)
	case nil, bool, int, float64, string:
		return 0
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return r.Len()
	}
	return 0
}
