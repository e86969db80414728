package page

import (
	"fmt"
	"html/template"
	"strings"
)

// option is a value of a form's field with its name for people.
type option struct{ Value, Label string }

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
	Placeholder     string
	Problem         string
	Hint            []span // instead of a problem
	Linked          bool   // the hint describes the input to those who do not see it
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
	"attrs":       attrs,
	"attrsIf":     attrsIf,
	"placeholder": func(text string, f Field) Field { f.Placeholder = text; return f },
	"problem":     func(sentence string, f Field) Field { f.Problem = sentence; return f },
	"hint":        func(text string, f Field) Field { f.Hint, f.Linked = spans(text), true; return f },
	"remark":      func(text string, f Field) Field { f.Hint = spans(text); return f },
}

func chooseName(names []string, f Field) Field {
	options := make([]option, len(names))
	for i, name := range names {
		options[i] = option{name, name}
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

// spans takes a sentence apart: what stands between backquotes is code.
func spans(text string) []span {
	var list []span
	for i, part := range strings.Split(text, "`") {
		list = append(list, span{part, i%2 == 1})
	}
	return list
}
