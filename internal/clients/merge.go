package clients

import (
	"errors"
	"fmt"
	"strings"

	"stele/internal/jsonscan"
)

// Form is how a client writes its settings down.
type Form string

// The forms.
const (
	JSON  Form = "json"
	Env   Form = "env"   // NAME=value lines
	TOML  Form = "toml"  // fields, then tables
	Lines Form = "lines" // YAML of one level
	New   Form = "new"   // only where there is no such file yet
)

// ErrByHand says that a file cannot be added to without a risk for what is in it.
var ErrByHand = errors.New("it has to be changed by hand")

// merge adds settings to a file that is there already. What the settings do not name stays
// as it is, byte for byte.
func merge(form Form, have, add string) (string, error) {
	if strings.TrimSpace(have) == "" {
		return add, nil
	}
	switch form {
	case JSON:
		return mergeJSON(have, add)
	case Env:
		return mergeLines(have, add, "="), nil
	case Lines:
		return mergeLines(have, add, ":"), nil
	case TOML:
		return mergeTOML(have, add), nil
	case New:
	}
	return "", fmt.Errorf("there is one already, and %w", ErrByHand)
}

// mergeJSON adds the members of an object, in the objects that are there already too.
func mergeJSON(have, add string) (string, error) {
	root, err := jsonscan.Parse([]byte(have), jsonscan.Strict)
	if err != nil || root.Kind() != jsonscan.Object {
		return "", fmt.Errorf("it is no plain JSON object, perhaps for its comments, so %w", ErrByHand)
	}
	more, err := jsonscan.Parse([]byte(add), jsonscan.Strict)
	if err != nil {
		return "", fmt.Errorf("the settings to add: %w", err)
	}
	var edits jsonscan.Edits
	addMembers(&edits, root, more)
	next, err := edits.Apply([]byte(have))
	return string(next), err
}

func addMembers(edits *jsonscan.Edits, to, from jsonscan.Value) {
	for key, value := range from.Members() {
		name := key.Name
		old := to.Get(name)
		switch {
		case !old.Exists():
			edits.Append(to, name, value.Raw())
		case old.Kind() == jsonscan.Object && value.Kind() == jsonscan.Object:
			addMembers(edits, old, value)
		default:
			edits.Replace(old, value.Raw())
		}
	}
}

// mergeLines puts lines in the place of those of the same name, and the others behind.
func mergeLines(have, add, sign string) string {
	lines := strings.Split(strings.TrimRight(have, "\n"), "\n")
	for line := range strings.SplitSeq(strings.TrimRight(add, "\n"), "\n") {
		name, _, _ := strings.Cut(line, sign)
		at := -1
		for i, old := range lines {
			if known, _, ok := strings.Cut(strings.TrimPrefix(old, "export "), sign); ok && strings.TrimRight(known, " ") == name {
				at = i
			}
		}
		if at < 0 {
			lines = append(lines, line)
		} else {
			lines[at] = line
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// mergeTOML puts fields before the first table, and tables in the place of those of the
// same name.
func mergeTOML(have, add string) string {
	fields, tables := splitTOML(have)
	moreFields, moreTables := splitTOML(add)
	for _, line := range moreFields {
		name, _, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		at := -1
		for i, old := range fields {
			if known, _, ok := strings.Cut(old, "="); ok && strings.TrimSpace(known) == strings.TrimSpace(name) {
				at = i
			}
		}
		if at >= 0 {
			fields[at] = line
		} else {
			fields = append([]string{line}, fields...)
		}
	}
	for _, table := range moreTables {
		at := -1
		for i, old := range tables {
			if strings.TrimSpace(old[0]) == strings.TrimSpace(table[0]) {
				at = i
			}
		}
		if at >= 0 {
			tables[at] = append(table, "")
		} else {
			tables = append(tables, append([]string{""}, table...))
		}
	}
	for _, table := range tables {
		fields = append(fields, table...)
	}
	return strings.TrimRight(strings.Join(fields, "\n"), "\n") + "\n"
}

// splitTOML parts the lines before the first table from the tables.
func splitTOML(text string) (fields []string, tables [][]string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "["):
			tables = append(tables, []string{line})
		case len(tables) > 0:
			tables[len(tables)-1] = append(tables[len(tables)-1], line)
		default:
			fields = append(fields, line)
		}
	}
	return fields, tables
}
