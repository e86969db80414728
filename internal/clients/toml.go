package clients

import (
	"fmt"
	"slices"
	"strings"
)

// Settings in TOML are taken apart into statements: a header of a table, a key with its
// value, which may go over several lines, or a line with neither.

// section is a header and the statements below it. The first of a file has none.
type section struct {
	header     string
	statements []string
}

// mergeTOML sets keys before the first table and in tables of the same name, and adds those
// that are not there. All else stays: keys of the user's own, comments, their order. A table that is
// written as a value elsewhere cannot be written a second time.
func mergeTOML(have, add string) (string, error) {
	sections := sectionsOf(have)
	if !areWhole(sections) {
		return "", fmt.Errorf("it is no TOML, so %w", ErrByHand)
	}
	for i, more := range sectionsOf(add) {
		more.statements = slices.DeleteFunc(more.statements, func(s string) bool { return keyOf(s) == "" })
		at := slices.IndexFunc(sections, func(s section) bool { return s.header != "" && nameOf(s.header) == nameOf(more.header) })
		switch {
		case i == 0:
			missing := sections[0].set(more.statements)
			sections[0].statements = slices.Concat(missing, sections[0].statements)
		case at >= 0:
			missing := sections[at].set(more.statements)
			sections[at].statements = slices.Insert(sections[at].statements, sections[at].end(), missing...)
		case hasInline(sections, nameOf(more.header)):
			return "", fmt.Errorf("%s] is written inside of another value there, so %w", nameOf(more.header), ErrByHand)
		default:
			last := &sections[len(sections)-1]
			last.statements = append(trimBlank(last.statements), "")
			sections = append(sections, more)
		}
	}
	var lines []string
	for _, s := range sections {
		if s.header != "" {
			lines = append(lines, s.header)
		}
		lines = append(lines, s.statements...)
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n", nil
}

// areWhole reports whether all that is there are keys with values that end, and comments. What is
// added to anything else, its client would read no more than the rest of it.
func areWhole(sections []section) bool {
	for _, s := range sections {
		for _, one := range s.statements {
			text := strings.TrimSpace(one)
			if text == "" || strings.HasPrefix(text, "#") {
				continue
			}
			_, value, _ := strings.Cut(one, "=")
			var all scanner
			for line := range strings.SplitSeq(value, "\n") {
				all.read(line)
			}
			if keyOf(one) == "" || strings.TrimSpace(value) == "" || all.open() {
				return false
			}
		}
	}
	return true
}

// hasInline reports whether a table, or one that it is in, is the value of a key.
func hasInline(sections []section, table string) bool {
	table = strings.TrimPrefix(table, "[")
	for _, s := range sections {
		place := strings.TrimPrefix(nameOf(s.header), "[")
		if strings.HasPrefix(place, table+".") {
			continue // a table of its own, in that one
		}
		for _, one := range s.statements {
			key := keyOf(one)
			if key == "" {
				continue
			}
			if key = unquoted.Replace(key); place != "" {
				key = place + "." + key
			}
			if strings.HasPrefix(table+".", key+".") || strings.HasPrefix(key, table+".") {
				return true
			}
		}
	}
	return false
}

// set puts statements in the place of those with the same key, and gives back the others.
func (s *section) set(statements []string) (missing []string) {
	for _, one := range statements {
		at := slices.IndexFunc(s.statements, func(old string) bool { return keyOf(old) == keyOf(one) })
		switch {
		case at < 0:
			missing = append(missing, one)
		case !strings.HasPrefix(strings.TrimSpace(s.statements[at])+" ", one+" "): // a comment may follow
			s.statements[at] = one + commentOf(s.statements[at])
		}
	}
	return missing
}

// commentOf is the comment behind the value of a statement, with the space before it.
func commentOf(statement string) string {
	_, rest, _ := strings.Cut(statement, "=")
	if strings.Contains(rest, "\n") {
		return ""
	}
	value := strings.TrimRight(rest[:len(rest)-len(behindValue(rest))], " \t")
	return rest[len(value):]
}

// end is behind the last key: comments after it may be about the next table.
func (s *section) end() int {
	for i := len(s.statements) - 1; i >= 0; i-- {
		if keyOf(s.statements[i]) != "" {
			return i + 1
		}
	}
	return 0
}

func trimBlank(statements []string) []string {
	for len(statements) > 0 && strings.TrimSpace(statements[len(statements)-1]) == "" {
		statements = statements[:len(statements)-1]
	}
	return statements
}

// sectionsOf takes a text apart.
func sectionsOf(text string) []section {
	list := []section{{}}
	if text = strings.TrimRight(text, "\n"); text == "" {
		return list
	}
	var value scanner // of the key that is read
	for line := range strings.SplitSeq(text, "\n") {
		last := &list[len(list)-1]
		switch {
		case value.open():
			last.statements[len(last.statements)-1] += "\n" + line
			value.read(line)
		case strings.HasPrefix(strings.TrimSpace(line), "["):
			list = append(list, section{header: line})
		default:
			last.statements = append(last.statements, line)
			if _, rest, ok := strings.Cut(line, "="); ok && keyOf(line) != "" {
				value.read(rest)
			}
		}
	}
	return list
}

// keyOf is the key of a statement; "" for one that has none.
func keyOf(statement string) string {
	key, _, ok := strings.Cut(statement, "=")
	if key = strings.TrimSpace(key); !ok || strings.HasPrefix(key, "#") {
		return ""
	}
	return strings.Trim(key, `"'`)
}

// nameOf is the name of a table in its header, behind which a comment may stand. Its parts may
// be in quotes.
func nameOf(header string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(header), "]")
	return unquoted.Replace(name)
}

var unquoted = strings.NewReplacer(" ", "", "\t", "", `"`, "", "'", "")

// scanner reads a value over its lines, to know where it ends.
type scanner struct {
	quote string // of a text of several lines that is open
	depth int    // of lists that are
}

func (s *scanner) open() bool { return s.quote != "" || s.depth > 0 }

func (s *scanner) read(line string) {
	for line != "" {
		if s.quote != "" {
			_, rest, ended := strings.Cut(line, s.quote)
			if !ended {
				return
			}
			s.quote, line = "", rest
			continue
		}
		switch {
		case strings.HasPrefix(line, `"""`), strings.HasPrefix(line, "'''"):
			s.quote, line = line[:3], line[3:]
			continue
		case line[0] == '"' || line[0] == '\'':
			line = behindText(line)
			continue
		case line[0] == '#':
			return
		case line[0] == '[' || line[0] == '{':
			s.depth++
		case line[0] == ']' || line[0] == '}':
			s.depth--
		}
		line = line[1:]
	}
}

// behindValue is the comment that a value of one line ends in; "" where there is none.
func behindValue(value string) string {
	for value != "" {
		switch value[0] {
		case '"', '\'':
			value = behindText(value)
		case '#':
			return value
		default:
			value = value[1:]
		}
	}
	return ""
}

// behindText is what follows the text of one line that a line begins with.
func behindText(line string) string {
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == '\\' && line[0] == '"':
			i++
		case line[i] == line[0]:
			return line[i+1:]
		}
	}
	return ""
}
