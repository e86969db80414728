package page

import (
	"errors"
	"fmt"
	"html/template"
	"slices"
	"strings"
)

// Option is a value of a form's field with its name for people.
type Option struct{ Value, Label string }

// Choices are values with their names, each behind its value.
func Choices(pairs ...string) (list []Option) {
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, Option{pairs[i], pairs[i+1]})
	}
	return list
}

// OneOf is a value if it is one of the options, and otherwise another.
func OneOf(value string, options []Option, otherwise string) string {
	if slices.ContainsFunc(options, func(o Option) bool { return o.Value == value }) {
		return value
	}
	return otherwise
}

// Field is one input of a form with what is around it. A template declares it as a
// pipeline, and the template called field shows it:
//
//	{{template "field" field "note" "Note" .Note | note "optional" | attrs `maxlength="200"` | problem .Problems.note}}
type Field struct {
	ID, Name, Label string
	Value           string
	Valued          bool // it has a value, which may be empty
	Class           string
	Unseen          bool   // the label is for those who do not see the field
	Note            string // behind the label
	Rows            int    // 0: it has one line
	First           string // the option that chooses nothing; "" for none
	Choice          bool
	Options         any // a list of what has a Value and a Label
	Attrs           template.HTMLAttr
	Min, Max, Step  string // of a number; "" for none
	Longest         int    // 0: any length
	Suggestions     []string
	Placeholder     string
	Problem         string
	Hint            []span // instead of a problem
	Told            string // the id of what else is said about it
	Removable       bool   // what is kept of it can be forgotten, without another value
}

// Tile is a large box to tick, or one of several to pick. The template called tile shows it:
//
//	{{template "tile" tick "sandbox" "on" .Sandbox "Answer from the sandbox" "For tests"}}
type Tile struct {
	Type, Name, Value string
	On                bool
	Label             string
	About             []span
}

// span is a part of a sentence.
type span struct {
	Text string
	Code bool
}

// fieldWords are the words that fields are declared with.
var fieldWords = template.FuncMap{
	"field": func(id, label string, value any) Field {
		f := Field{ID: id, Name: id, Label: label}
		if value != nil {
			f.Value, f.Valued = fmt.Sprint(value), true
		}
		return f
	},
	"called":      func(name string, f Field) Field { f.Name = name; return f },
	"class":       func(class string, f Field) Field { f.Class = class; return f },
	"unseen":      func(f Field) Field { f.Unseen = true; return f },
	"note":        func(text string, f Field) Field { f.Note = text; return f },
	"rows":        func(n int, f Field) Field { f.Rows = n; return f },
	"first":       func(label string, f Field) Field { f.First = label; return f },
	"choose":      func(options any, f Field) Field { f.Choice, f.Options = true, options; return f },
	"chooseName":  chooseName,
	"options":     options,
	"attrs":       attrs,
	"attrsIf":     attrsIf,
	"between":     func(least, most, step string, f Field) Field { f.Min, f.Max, f.Step = least, most, step; return f },
	"longest":     func(n int, f Field) Field { f.Longest = n; return f },
	"suggest":     func(names []string, f Field) Field { f.Suggestions = names; return f },
	"removable":   func(is bool, f Field) Field { f.Removable = is; return f },
	"placeholder": func(text string, f Field) Field { f.Placeholder = text; return f },
	"problem":     func(sentence string, f Field) Field { f.Problem = sentence; return f },
	"hint":        func(text string, f Field) Field { f.Hint = spans(text); return f },
	"told":        describedBy,
	"tick":        newTile("checkbox"),
	"pick":        newTile("radio"),
}

// describedBy has the element with an id describe the field, where a condition holds.
func describedBy(cond any, id string, f Field) Field {
	if truth, _ := template.IsTrue(cond); truth {
		f.Told = id
	}
	return f
}

// DescribedBy are the ids of what is said about the field to those who do not see it.
func (f Field) DescribedBy() string {
	ids := f.Told
	switch {
	case f.Problem != "":
		ids = f.ID + "-problem " + ids
	case f.Hint != nil:
		ids = f.ID + "-hint " + ids
	}
	return strings.TrimSpace(ids)
}

func newTile(kind string) any {
	return func(name, value string, on any, label, about string) Tile {
		truth, _ := template.IsTrue(on)
		return Tile{kind, name, value, truth, label, spans(about)}
	}
}

// options has one of a few values chosen, which stand before the field, each with its label.
func options(args ...any) (Field, error) {
	f, ok := args[len(args)-1].(Field)
	if !ok || len(args)%2 == 0 {
		return f, errors.New("options are pairs of a value and its label")
	}
	texts := make([]string, len(args)-1)
	for i := range texts {
		texts[i] = fmt.Sprint(args[i])
	}
	f.Choice, f.Options = true, Choices(texts...)
	return f, nil
}

func chooseName(names []string, f Field) Field {
	options := make([]Option, len(names))
	for i, name := range names {
		options[i] = Option{name, name}
	}
	f.Choice, f.Options = true, options
	return f
}

// attrs adds attributes as they are written: a test sees to it that they are always
// written in a template.
func attrs(text template.HTMLAttr, f Field) Field {
	f.Attrs = template.HTMLAttr(strings.TrimSpace(string(f.Attrs) + " " + string(text))) //nolint:gosec // from templates only
	return f
}

func attrsIf(cond any, text template.HTMLAttr, f Field) Field {
	if truth, _ := template.IsTrue(cond); truth {
		return attrs(text, f)
	}
	return f
}

// spans takes a sentence apart: what stands between backquotes is code, if each has its other. There are none of "".
func spans(text string) []span {
	parts := strings.Split(text, "`")
	switch {
	case strings.TrimSpace(text) == "":
		return nil
	case len(parts)%2 == 0:
		return []span{{Text: text}}
	}
	var list []span
	for i, part := range parts {
		list = append(list, span{part, i%2 == 1})
	}
	return list
}
