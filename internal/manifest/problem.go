package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing wrong with a file, or with a value that came from
// elsewhere: then File names the flag or variable and Line is 0.
type Problem struct {
	File    string
	Line    int    // from 1; 0 if there is no position
	Column  int    // from 1, in characters
	Path    string // the value's place, such as models.fast.targets[0]; may be empty
	Message string // a whole sentence, the path included
}

// String returns the line an operator reads: "stele.yaml:14:5: unknown field …".
func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// Problems is an error with one line per problem.
type Problems []Problem

// Error returns one line per problem, without a newline at the end.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Err returns ps as an error, or nil if it is empty.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

// sortByPlace returns a copy in the order of the file. Problems at the same place stay
// in the order they were found.
func (ps Problems) sortByPlace() Problems {
	out := slices.Clone(ps)
	slices.SortStableFunc(out, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return out
}

func problemAt(path Path, format string, args ...any) Problem {
	p := Problem{Path: path.String(), Message: fmt.Sprintf(format, args...)}
	if p.Path != "" {
		p.Message = p.Path + ": " + p.Message
	}
	return p
}
