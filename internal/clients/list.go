package clients

import (
	"fmt"
	"slices"
	"strings"
)

// mergeList adds a thing to a list in YAML, which is the whole file or the value of a key at its root, or
// puts it in the place of the one with the same name, and adds the keys at the root that are not there. A list
// that is written in another way than a line for each thing is left alone.
func mergeList(have, add string) (string, error) {
	lines := strings.Split(strings.TrimRight(have, "\n"), "\n")
	key, thing := "", strings.Split(strings.TrimRight(add, "\n"), "\n")
	if strings.HasPrefix(add, "- ") {
		if !strings.HasPrefix(firstOf(lines), "- ") {
			return "", errOtherYAML
		}
	} else {
		if !isOfOneLevel(have) {
			return "", errOtherYAML
		}
		for !strings.HasPrefix(strings.TrimLeft(thing[0], " "), "- ") {
			if key = thing[0]; !strings.HasSuffix(key, ":") && !hasKey(lines, key) {
				lines = append(lines, key)
			}
			thing = thing[1:]
		}
	}
	from := 0
	if key != "" {
		if !hasKey(lines, key) {
			return strings.Join(slices.Concat(lines, []string{key}, thing), "\n") + "\n", nil
		}
		from = 1 + slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, key) })
		switch value, _, _ := strings.Cut(strings.TrimPrefix(lines[from-1], key), "#"); strings.TrimSpace(value) {
		case "":
		case "[]":
			lines[from-1] = strings.Replace(lines[from-1], " []", "", 1)
		default:
			return "", errOtherYAML
		}
	}
	rest, err := putThing(lines[from:], thing, key == "")
	return strings.Join(slices.Concat(lines[:from], rest), "\n") + "\n", err
}

var errOtherYAML = fmt.Errorf("its list is written in a way of its own, so %w", ErrByHand)

// putThing puts a thing into the list that lines begin with.
func putThing(lines, thing []string, root bool) ([]string, error) {
	end, first := len(lines), firstOf(lines)
	if !root {
		if at := slices.IndexFunc(lines, func(line string) bool { return isSaid(line) && line[0] != ' ' && line[0] != '-' }); at >= 0 {
			end, first = at, firstOf(lines[:at])
		}
	}
	for end > 0 && !isSaid(lines[end-1]) {
		end-- // what is said behind it is about what follows
	}
	if end == 0 {
		return slices.Concat(thing, lines), nil
	}
	indent := first[:len(first)-len(strings.TrimLeft(first, " "))]
	own := thing[0][:len(thing[0])-len(strings.TrimLeft(thing[0], " "))]
	if !strings.HasPrefix(first, indent+"- ") {
		return nil, errOtherYAML
	}
	moved := make([]string, len(thing))
	for i, line := range thing {
		moved[i] = indent + strings.TrimPrefix(line, own)
	}
	starts := func(line string) bool { return strings.HasPrefix(line, indent+"-") }
	for at := 0; at < end; at++ {
		if !starts(lines[at]) || unquoted.Replace(lines[at]) != unquoted.Replace(moved[0]) {
			continue
		}
		next := at + 1
		for next < end && !starts(lines[next]) {
			next++
		}
		for !isSaid(lines[next-1]) {
			next--
		}
		return slices.Concat(lines[:at], moved, lines[next:]), nil
	}
	at := slices.Index(lines, first) // clients begin with the first one
	return slices.Concat(lines[:at], moved, lines[at:]), nil
}

// firstOf is the first line that is no comment; "" where there is none.
func firstOf(lines []string) string {
	if at := slices.IndexFunc(lines, isSaid); at >= 0 {
		return lines[at]
	}
	return ""
}

// isSaid reports whether a line is more than a comment.
func isSaid(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && line[0] != '#' && line != "---"
}

// hasKey reports whether one of the lines at the root has the key of a line.
func hasKey(lines []string, line string) bool {
	key, _, _ := strings.Cut(line, ":")
	return slices.ContainsFunc(lines, func(have string) bool { return strings.HasPrefix(have, key+":") })
}
