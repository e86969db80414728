package clients

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stele/internal/jsonscan"
)

// Form is how a client writes its settings down.
type Form string

// The forms.
const (
	JSON  Form = "json"
	JSONC Form = "jsonc" // JSON in which comments may stand, and commas behind the last
	Env   Form = "env"   // NAME=value lines
	TOML  Form = "toml"  // fields, then tables
	Lines Form = "lines" // YAML of one level
	List  Form = "list"  // YAML with a list of things, each with a name in its first line
)

// ErrByHand says that a file cannot be added to without a risk for what is in it.
var ErrByHand = errors.New("it has to be changed by hand")

// merge adds settings to a file that is there already. What the settings do not name stays
// as it is, byte for byte. A byte order mark, which editors on Windows write, stays before all,
// and lines end as all others do.
func merge(form Form, have, add string) (string, error) {
	if strings.TrimSpace(have) == "" {
		return add, nil
	}
	const mark, end = "\ufeff", "\r\n"
	if plain, marked := strings.CutPrefix(have, mark); marked {
		next, err := merge(form, plain, add)
		return mark + next, err
	}
	if n := strings.Count(have, end); n > 0 && n == strings.Count(have, "\n") {
		next, err := mergePlain(form, strings.ReplaceAll(have, end, "\n"), add)
		return strings.ReplaceAll(next, "\n", end), err
	}
	return mergePlain(form, have, add)
}

// mergePlain does so where lines end as they do in the settings.
func mergePlain(form Form, have, add string) (string, error) {
	switch form {
	case JSON:
		return mergeJSON(have, have, add)
	case JSONC:
		return mergeJSON(have, withoutComments(have), add)
	case Env:
		return mergeLines(have, add, "="), nil
	case Lines:
		if !isOfOneLevel(have) {
			return "", fmt.Errorf("it is no plain list of settings, one a line, so %w", ErrByHand)
		}
		return mergeLines(have, add, ":"), nil
	case List:
		return mergeList(have, add)
	case TOML:
		return mergeTOML(have, add)
	}
	return "", fmt.Errorf("form %q: %w", form, ErrByHand)
}

// mergeJSON adds the members of an object, in the objects that are there already too. What is there
// is read as plain has it, in which everything is at the same place.
func mergeJSON(have, plain, add string) (string, error) {
	root, err := jsonscan.Parse([]byte(plain), jsonscan.Strict)
	if err != nil || root.Kind() != jsonscan.Object {
		return "", fmt.Errorf("it is no plain JSON object, perhaps for its comments or names without quotes, so %w", ErrByHand)
	}
	more, err := jsonscan.Parse([]byte(add), jsonscan.Strict)
	if err != nil {
		return "", fmt.Errorf("the settings to add: %w", err)
	}
	var edits jsonscan.Edits
	addMembers(&edits, []byte(have), root, more)
	next, err := edits.Apply([]byte(have))
	return string(next), err
}

func addMembers(edits *jsonscan.Edits, doc []byte, to, from jsonscan.Value) {
	var missing []member
	for key, value := range from.Members() {
		name := key.Name
		old := to.Get(name)
		switch {
		case !old.Exists():
			missing = append(missing, member{name, value.Raw()})
		case old.Kind() == jsonscan.Object && value.Kind() == jsonscan.Object:
			addMembers(edits, doc, old, value)
		case old.Kind() == jsonscan.Array && idOf(value.Index(0)) != "":
			addElements(edits, doc, old, value)
		default:
			edits.Replace(old, value.Raw())
		}
	}
	if len(missing) > 0 {
		appendMembers(edits, doc, to, missing)
	}
}

// member is a name with its value.
type member struct {
	name  string
	value []byte
}

// appendMembers puts members behind the last one, each on a line of its own where the others have one. What
// is said of the last one behind it stays on its line.
func appendMembers(edits *jsonscan.Edits, doc []byte, to jsonscan.Value, members []member) {
	var last jsonscan.Key
	end := -1
	for key, v := range to.Members() {
		last, end = key, v.To()
	}
	at, between, colon := end, []byte(","), ":"
	if end < 0 {
		at, between = to.From()+1, nil
	} else if line := bytes.LastIndexByte(doc[:last.From], '\n') + 1; line > 0 && len(bytes.TrimSpace(doc[line:last.From])) == 0 {
		between, colon = append([]byte(",\n"), doc[line:last.From]...), ": "
		at += commentBehind(doc[end:])
	}
	var text []byte
	for _, m := range members {
		text = append(jsonscan.AppendText(append(text, between...), m.name), colon...)
		text = append(text, m.value...)
		if between == nil {
			between = []byte(",")
		}
	}
	if at > end && end >= 0 { // the comma goes before the comment, unless one is there
		if text = text[1:]; !bytes.HasPrefix(bytes.TrimLeft(doc[end:], " \t"), []byte(",")) {
			edits.Splice(end, end, []byte(","))
		}
	}
	edits.Splice(at, at, text)
}

// commentBehind is how long the rest of a line is, if it is nothing but a comment; else 0.
func commentBehind(doc []byte) int {
	line, _, _ := bytes.Cut(doc, []byte("\n"))
	if gap, _, ok := bytes.Cut(line, []byte("//")); ok && len(bytes.Trim(gap, " \t,")) == 0 {
		return len(line)
	}
	return 0
}

// addElements adds to a list of things that have ids, such as models. Those that it has already
// are brought up to date, and the others stay.
func addElements(edits *jsonscan.Edits, doc []byte, to, from jsonscan.Value) {
	for _, value := range from.Elements() {
		at, end := -1, to.From()+1
		for i, old := range to.Elements() {
			if end = old.To(); idOf(old) == idOf(value) {
				at = i
			}
		}
		switch {
		case at >= 0:
			addMembers(edits, doc, to.Index(at), value)
		case to.Len() == 0:
			edits.Splice(end, end, value.Raw())
		default:
			edits.Splice(end, end, append([]byte(", "), value.Raw()...))
		}
	}
}

// idOf is what an object in a list is known by.
func idOf(v jsonscan.Value) string {
	if id := v.Get("id").View(); id != "" {
		return id
	}
	return v.Get("name").View()
}

// mergeLines puts lines in the place of those of the same name, and the others behind. What
// stands indented below a line that is replaced was its value.
func mergeLines(have, add, sign string) string {
	lines := strings.Split(strings.TrimRight(have, "\n"), "\n")
	for line := range strings.SplitSeq(strings.TrimRight(add, "\n"), "\n") {
		name, _, _ := strings.Cut(line, sign)
		at, exported, quote := -1, "", ""
		for i, old := range lines {
			rest, isExported := strings.CutPrefix(old, "export ")
			known, value, ok := strings.Cut(rest, sign)
			switch {
			case quote != "": // a line of a value, whatever it looks like
				if strings.Contains(old, quote) {
					quote = ""
				}
				continue
			case ok && strings.Trim(known, " \"'") == name:
				if at, exported = i, ""; isExported {
					exported = "export "
				}
			}
			if ok && sign == "=" {
				quote = openQuote(value)
			}
		}
		if at < 0 {
			lines = append(lines, line)
			continue
		}
		lines = slices.Replace(lines, at, at+lengthOf(lines[at:], sign), exported+line)
	}
	return strings.Join(lines, "\n") + "\n"
}

// openQuote is the quote that a variable's value begins with and that does not end on its line.
func openQuote(value string) string {
	value = strings.TrimSpace(value)
	if value == "" || !strings.Contains("\"'`", value[:1]) || strings.Contains(value[1:], value[:1]) {
		return ""
	}
	return value[:1]
}

// lengthOf is of how many lines a setting is: the first of these, and what its value goes over.
func lengthOf(lines []string, sign string) int {
	if _, value, _ := strings.Cut(lines[0], sign); sign == "=" {
		quote := openQuote(value)
		if end := slices.IndexFunc(lines[1:], func(line string) bool { return strings.Contains(line, quote) }); quote != "" && end >= 0 {
			return end + 2
		}
		return 1
	}
	length := 1
	for i := 1; i < len(lines); i++ {
		switch {
		case isBelow(lines[i]):
			length = i + 1
		case strings.TrimSpace(lines[i]) != "": // an empty line may be in the middle of it
			return length
		}
	}
	return length
}

// isOfOneLevel reports whether lines may be added at the end of YAML: not where all of it is one
// value in brackets, a list, is indented, or has an end of its own.
func isOfOneLevel(have string) bool {
	begun := false
	for line := range strings.SplitSeq(have, "\n") {
		switch line = strings.TrimRight(line, " \t"); {
		case begun && (strings.HasPrefix(line, "---") || line == "..."):
			return false
		case begun || line == "" || line[0] == '#' || line[0] == '%' || line == "---":
		case strings.ContainsRune(" \t{[-", rune(line[0])):
			return false
		default:
			begun = true
		}
	}
	return true
}

// isBelow reports whether a line of YAML is part of the value of the one before.
func isBelow(line string) bool {
	return strings.TrimSpace(line) != "" && (line[0] == ' ' || line[0] == '\t' || strings.HasPrefix(line, "- "))
}
