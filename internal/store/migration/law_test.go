package migration

import "fmt"

// law says what a step of the schema may do so that binaries of the release before go on
// working beside it: expand. What they read and write stays as it is, and what is new needs
// nothing from them. What was made since that release is not known to them: everything may be done to it.
type law struct {
	tables  map[string]bool            // made since
	columns map[string]map[string]bool // made since, by table; true: NULL where a writer does not know it
}

// newLaw begins with a schema that was released.
func newLaw() *law {
	return &law{tables: make(map[string]bool), columns: make(map[string]map[string]bool)}
}

// expands takes the next step, and says what is wrong with it.
func (l *law) expands(f File) error {
	for _, s := range f.Statements {
		if err := l.take(s); err != nil {
			return fmt.Errorf("%s: %w: %s", f.Name, err, s.Text)
		}
	}
	return nil
}

func (l *law) take(s Statement) error {
	if l.tables[s.Table] && s.Table != "" {
		return nil
	}
	switch s.Verb {
	case CreateTable:
		l.tables[s.Table] = true
		return nil
	case AddColumn:
		return l.addColumn(s)
	case CreateIndex:
		if s.unique && !l.spares(s) {
			return fmt.Errorf("a constraint on columns that were released")
		}
		return nil
	case Insert:
		return nil
	case Update:
		for _, c := range s.Columns {
			if _, since := l.columns[s.Table][c]; !since {
				return fmt.Errorf("%s.%s was released, and its values change", s.Table, c)
			}
		}
		if len(s.Columns) == 0 {
			return fmt.Errorf("what it sets cannot be read")
		}
		return nil
	}
	return fmt.Errorf("it does not only add")
}

func (l *law) addColumn(s Statement) error {
	switch {
	case s.constrained != "":
		return fmt.Errorf("the new column brings a constraint, %s", s.constrained)
	case !s.nullable && !s.defaults:
		return fmt.Errorf("the new column is NOT NULL and has no default")
	}
	if l.columns[s.Table] == nil {
		l.columns[s.Table] = make(map[string]bool)
	}
	l.columns[s.Table][s.Columns[0]] = s.nullable && !s.defaults
	return nil
}

// spares reports whether a unique index lets rows alone that are written without knowing it:
// those have NULL in one of its columns, and NULLs are not equal.
func (l *law) spares(s Statement) bool {
	for _, c := range s.Columns {
		if l.columns[s.Table][c] {
			return true
		}
	}
	return false
}
