package studio

import (
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/media"
)

// readOrder makes a request of what a form has sent, in the words of the public
// API. What is as the model has it anyway is left out: a value that is given may
// rule out others, a default does not.
func readOrder(model string, o *media.Operation, sent url.Values) (media.Ask, error) {
	fields := map[string]any{"model": model, "mode": o.Mode}
	if prompt := newlines(sent.Get("prompt")); strings.TrimSpace(prompt) != "" {
		fields["prompt"] = prompt
	}
	for _, name := range media.Inputs()[1:] {
		var list []any
		for _, given := range sent[name] {
			if given = strings.TrimSpace(given); given != "" {
				list = append(list, given)
			}
		}
		switch {
		case len(list) == 0:
		case media.Lists(name):
			fields[name] = list
		default:
			fields[name] = list[0]
		}
	}
	for i := range o.Parameters {
		p := &o.Parameters[i]
		if values := sentValues(p, sent[p.Name]); len(values) > 0 && !usualValue(p, values) {
			fields[p.Name] = typedValue(p, values)
		}
	}
	return media.ParseFields(fields)
}

// sentValues are what was sent for a parameter, without what is empty.
func sentValues(p *media.Parameter, sent []string) []string {
	if p.Type == "boolean" && len(sent) > 0 {
		return sent[len(sent)-1:]
	}
	if p.Type == "array" && len(p.Values) == 0 {
		sent = strings.Split(newlines(strings.Join(sent, "\n")), "\n")
	}
	var values []string
	for _, v := range sent {
		if strings.TrimSpace(v) != "" {
			values = append(values, newlines(v))
		}
	}
	if p.Type != "array" && len(values) > 1 {
		values = values[:1]
	}
	return values
}

// usualValue reports whether values are what the parameter has without any.
func usualValue(p *media.Parameter, values []string) bool {
	if p.Required {
		return false
	}
	if p.Default == nil {
		return p.Type == "boolean" && values[0] == "false"
	}
	return strings.Join(values, "\n") == strings.Join(formTexts(p.Default), "\n")
}

// typedValue gives values the types that JSON would have given them. What is no
// number stays a text, and is refused as one.
func typedValue(p *media.Parameter, values []string) any {
	kind := p.Type
	if kind == "array" {
		kind = p.Items
		list := make([]any, len(values))
		for i, v := range values {
			list[i] = singleValue(kind, v)
		}
		return list
	}
	return singleValue(kind, values[0])
}

func singleValue(kind, value string) any {
	switch kind {
	case "boolean":
		if value == "true" || value == "false" {
			return value == "true"
		}
	case "integer", "number":
		if v := jsontext.Value(strings.TrimSpace(value)); v.Kind() == '0' && v.IsValid() {
			return v
		}
	}
	return value
}

// newlines undoes what forms do to line breaks.
func newlines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
