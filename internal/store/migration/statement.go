package migration

import "strings"

// Verb is what a statement does.
type Verb string

// The verbs that are understood. Whatever else there is in SQL is Other.
const (
	CreateTable Verb = "create table"
	AddColumn   Verb = "add column"
	CreateIndex Verb = "create index"
	DropIndex   Verb = "drop index"
	Insert      Verb = "insert"
	Update      Verb = "update"
	Other       Verb = "other"
)

// Statement is one of a file, and what was understood of it.
type Statement struct {
	Text    string
	Verb    Verb
	Table   string   // what it changes
	From    string   // the first table whose rows an INSERT reads; "" where it gives them itself
	Columns []string // that are added, indexed or set

	nullable    bool   // of a column that is added
	defaults    bool   // of a column that is added: it has a default
	computed    bool   // the default is not a constant
	unique      bool   // of an index
	constrained string // the constraint that an added column brings
}

func parse(words []word) Statement {
	s := Statement{Verb: Other, Text: words[0].source[words[0].start:words[len(words)-1].end]}
	switch p := (&reader{words: words}); {
	case p.match("CREATE", "TABLE"):
		p.match("IF", "NOT", "EXISTS")
		s.Verb, s.Table = CreateTable, p.next()
	case p.match("CREATE", "INDEX"), p.match("CREATE", "UNIQUE", "INDEX"):
		s.Verb, s.unique = CreateIndex, words[1].is("UNIQUE")
		s.Table, s.Columns = p.index()
	case p.match("DROP", "INDEX"):
		s.Verb = DropIndex
	case p.match("ALTER", "TABLE"):
		s.Table = p.next()
		if p.match("ADD", "COLUMN") {
			s.Verb, s.Columns = AddColumn, []string{p.next()}
			s.readColumn(p.rest())
		}
	case p.match("INSERT", "INTO"):
		s.Verb, s.Table, s.From = Insert, p.next(), p.from()
	case p.match("UPDATE"):
		s.Verb, s.Table = Update, p.next()
		s.Columns = p.sets()
	case p.match("DELETE", "FROM"), p.match("DROP", "TABLE"):
		p.match("IF", "EXISTS")
		s.Table = p.next()
	}
	return s
}

// readColumn reads what an added column is like: the words behind its name.
func (s *Statement) readColumn(words []word) {
	s.nullable = true
	for i, w := range words {
		switch {
		case w.is("NOT") && i+1 < len(words) && words[i+1].is("NULL"):
			s.nullable = false
		case w.is("DEFAULT"):
			s.defaults = true
			if i+1 < len(words) {
				value := words[i+1]
				s.computed = value.text == "(" || i+2 < len(words) && words[i+2].text == "(" || strings.HasPrefix(strings.ToUpper(value.text), "CURRENT_")
			}
		case w.is("UNIQUE"), w.is("PRIMARY"), w.is("REFERENCES"), w.is("CHECK"), w.is("GENERATED"), w.text == ",":
			s.constrained = strings.ToUpper(w.text)
		}
	}
}

// reader goes through the words of a statement.
type reader struct {
	words []word
	at    int
}

// match goes past keywords, if they are next.
func (r *reader) match(keywords ...string) bool {
	if len(r.words)-r.at < len(keywords) {
		return false
	}
	for i, k := range keywords {
		if !r.words[r.at+i].is(k) {
			return false
		}
	}
	r.at += len(keywords)
	return true
}

func (r *reader) next() string {
	if r.at >= len(r.words) {
		return ""
	}
	r.at++
	return strings.ToLower(r.words[r.at-1].text)
}

func (r *reader) rest() []word { return r.words[r.at:] }

// index reads NAME ON TABLE (COLUMN, …).
func (r *reader) index() (table string, columns []string) {
	for r.at < len(r.words) && !r.match("ON") {
		r.at++
	}
	table = r.next()
	if r.match("USING") {
		r.at++
	}
	if !r.match("(") {
		return table, nil
	}
	for r.at < len(r.words) && !r.match(")") {
		if name := r.next(); name != "," {
			columns = append(columns, name)
		}
	}
	return table, columns
}

// from is the table behind the first FROM.
func (r *reader) from() string {
	for i := r.at; i+1 < len(r.words); i++ {
		if r.words[i].is("FROM") {
			return strings.ToLower(r.words[i+1].text)
		}
	}
	return ""
}

// sets are the columns that an UPDATE sets: the names before an equals sign that is in no bracket.
func (r *reader) sets() (columns []string) {
	if !r.match("SET") {
		return nil
	}
	depth, names := 0, true // a name is next
	for ; r.at < len(r.words); r.at++ {
		switch w := r.words[r.at]; {
		case w.text == "(" && !w.literal:
			depth++
			if names { // SET (a, b) = …: too clever to be read
				return nil
			}
		case w.text == ")" && !w.literal:
			depth--
		case depth > 0:
		case w.is("WHERE"), w.is("FROM"):
			return columns
		case w.text == "," && !w.literal:
			names = true
		case names:
			columns, names = append(columns, strings.ToLower(w.text)), false
		}
	}
	return columns
}
