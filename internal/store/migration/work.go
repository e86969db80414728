package migration

// Work is what a statement has to do with the rows of a large table.
type Work string

// The kinds of work.
const (
	AtOnce   Work = "at once"  // it looks at no rows
	Reads    Work = "reads"    // all rows; writers of the table wait meanwhile
	Writes   Work = "writes"   // many rows; those who want to change the same wait meanwhile
	Rewrites Work = "rewrites" // the whole table; all statements that use it wait meanwhile
)

// Work says what a statement does, and the table whose rows count.
func (s Statement) Work() (work Work, table string) {
	switch s.Verb {
	case CreateTable, DropIndex:
		return AtOnce, s.Table
	case AddColumn:
		if s.computed {
			return Rewrites, s.Table
		}
		return AtOnce, s.Table
	case CreateIndex:
		return Reads, s.Table
	case Insert:
		if s.From == "" {
			return AtOnce, s.Table
		}
		return Writes, s.From
	case Update:
		return Writes, s.Table
	}
	return Rewrites, s.Table
}
