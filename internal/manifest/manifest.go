// Package manifest reads one YAML file strictly into Go structs and reports
// everything that is wrong with it at once, each problem with its line and
// column. It serves the configuration, the media-model files and the app files
// alike, and knows nothing of what any of them means.
//
// The reading is that of YAML 1.2: 16:9, on and off are text. One file holds one
// document. Anchors, aliases, merge keys, tags and directives are refused, so
// nothing in a file can grow while it is read.
//
// A struct field takes part when it carries a tag such as `yaml:"base_url"`.
// Fields may be text, booleans, numbers, time.Duration, slices, maps with text
// keys, structs, pointers to those, any, *Node, or whatever implements
// Unmarshaler or encoding.TextUnmarshaler. An empty value (null) counts as absent
// and leaves the field as it was, so defaults are set before decoding.
package manifest

import (
	"reflect"
	"slices"
)

// Options changes how a file is read. The zero value is fine.
type Options struct {
	// Env looks up the variables of ${NAME} inside text values. Without it "${"
	// has no meaning. Keys are never expanded.
	Env func(name string) (value string, ok bool)
}

// Decode reads src into the value that into points to. It always returns a Doc:
// the caller adds what its own checks find and then asks for Err. After a problem
// the value is filled as far as the file could be understood. The file name is
// only used in reports. Decode panics if into is not a pointer or points to
// something YAML cannot express, which is a mistake in the program.
func Decode(file string, src []byte, into any, opts Options) *Doc {
	target := reflect.ValueOf(into)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		panic("manifest: Decode needs a non-nil pointer")
	}
	doc := &Doc{file: file, env: opts.Env}
	body, bad := parse(src)
	if bad != nil {
		bad.File = file
		doc.problems = append(doc.problems, *bad)
		return doc
	}
	if body == nil {
		return doc
	}
	doc.root = doc.build(body, nil, nil)
	doc.root.decode(target.Elem())
	return doc
}

// Doc is a file that has been read. It remembers where each value stood, so that
// checks of meaning report like checks of form. It is not safe for concurrent use.
type Doc struct {
	file     string
	env      func(string) (string, bool)
	root     *Node
	problems Problems
}

// Has reports whether the file gives a value at path. A null is no value.
func (d *Doc) Has(path Path) bool {
	n, found := d.find(path)
	return found && n.kind != Null
}

// Line is where the value at path stands, from 1; 0 if the file has no such value.
func (d *Doc) Line(path Path) int {
	n, found := d.find(path)
	if !found {
		return 0
	}
	line, _ := n.position()
	return line
}

// Report reports something wrong with the value at path. If the file has no such
// value the nearest one above it lends its position. The message follows the path
// and a colon: "models.fast.retries: must not be negative". A value that could not
// be read has been reported before; neither it nor what it should hold is reported
// again.
func (d *Doc) Report(path Path, format string, args ...any) {
	p := problemAt(path, format, args...)
	p.File = d.file
	if n, _ := d.find(path); n != nil {
		if n.bad {
			return
		}
		p.Line, p.Column = n.position()
	}
	d.problems = append(d.problems, p)
}

// OneOf reports whether the value at path is one of those that are known, and a problem where
// it is not.
func (d *Doc) OneOf(path Path, got string, known []string) bool {
	if slices.Contains(known, got) {
		return true
	}
	d.Report(path, "%q is not one of %v%s", got, known, DidYouMean(got, known))
	return false
}

// Problems returns all that was found so far, in the order of the file.
func (d *Doc) Problems() Problems { return d.problems.sortByPlace() }

// Err returns Problems as an error, or nil if there are none.
func (d *Doc) Err() error { return d.Problems().Err() }

// find walks down path. If the whole way does not exist it returns the last node
// that does and false.
func (d *Doc) find(path Path) (n *Node, whole bool) {
	if d.root == nil {
		return nil, false
	}
	n = d.root
	for _, step := range path {
		next := n.child(step)
		if next == nil {
			return n, false
		}
		n = next
	}
	return n, true
}
