package limits

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/limit"
	"stele/internal/price"
)

type limitForm struct {
	Name, Amount, Marks, Zone string
	Measure, Window           string
	Everywhere                bool // about all workspaces, for administrators
	Admin                     bool // the visitor is one
	Soft, Refuse, Unpriced    bool
	Credits                   bool // grants change the amount
	Subjects                  []subjectField
	Problems                  map[string]string // field → sentence

	Measures, Windows []page.Option
}

// subjectField is one thing that calls are told apart by.
type subjectField struct {
	Number    int
	By, Value string
	Choices   []page.Option
}

const subjectFields = 2 // that a form has; the command line takes more

func newForm(v access.Visitor) limitForm {
	f := limitForm{Measure: string(limit.Dollars), Window: string(limit.Month), Marks: marksText(limit.DefaultMarks())}
	f.offer(v)
	return f
}

// offer fills in what can be chosen.
func (f *limitForm) offer(v access.Visitor) {
	f.Admin = v.User.Admin
	for _, m := range limit.Measures() {
		f.Measures = append(f.Measures, page.Option{Value: string(m), Label: measureWords[m]})
	}
	for _, w := range limit.Windows() {
		f.Windows = append(f.Windows, page.Option{Value: string(w), Label: windowWords[w]})
	}
	for len(f.Subjects) < subjectFields {
		f.Subjects = append(f.Subjects, subjectField{})
	}
	for i := range f.Subjects {
		f.Subjects[i].Number = i + 1
		f.Subjects[i].Choices = dimensions(v.User.Admin)
	}
}

var measureWords = map[limit.Measure]string{
	limit.Dollars: "Dollars", limit.Requests: "Requests", limit.Tokens: "Tokens, in and out", limit.TokensIn: "Tokens in", limit.TokensOut: "Tokens out",
	limit.Concurrent: "Requests at the same time", limit.Generations: "Generations at the same time",
}

var windowWords = map[limit.Window]string{
	limit.Minute: "A minute", limit.Hour: "An hour", limit.Day: "A day", limit.Week: "A week, from Monday", limit.Month: "A month", limit.Total: "In all, for ever",
}

func dimensions(admin bool) []page.Option {
	list := page.Choices(
		"", "—", string(limit.ByKey), "Key", string(limit.ByPerson), "Person", string(limit.ByUser), "End user",
		string(limit.ByTag), "Tag", string(limit.ByModel), "Model", string(limit.ByProvider), "Provider",
	)
	if admin {
		list = append(list, page.Option{Value: string(limit.ByWorkspace), Label: "Workspace"})
	}
	return list
}

func readForm(v url.Values, who access.Visitor) limitForm {
	f := limitForm{
		Name: v.Get("name"), Amount: strings.TrimSpace(v.Get("amount")), Marks: v.Get("marks"), Zone: strings.TrimSpace(v.Get("zone")),
		Measure: v.Get("measure"), Window: v.Get("window"), Everywhere: v.Get("of") == "all" && who.User.Admin,
		Soft: v.Get("kind") == "soft", Refuse: v.Has("refuse"), Unpriced: v.Has("unpriced"),
	}
	for i := range subjectFields {
		n := strconv.Itoa(i + 1)
		f.Subjects = append(f.Subjects, subjectField{By: v.Get("by" + n), Value: strings.TrimSpace(v.Get("value" + n))})
	}
	f.offer(who)
	return f
}

// formOf is a limit as its page's form has it.
func formOf(l *limit.Limit, v access.Visitor) limitForm {
	f := limitForm{Name: l.Name, Amount: l.Count(l.Amount), Marks: marksText(l.Marks), Soft: l.Soft, Refuse: l.Refuse, Unpriced: l.Unpriced}
	f.offer(v)
	f.fix(l)
	return f
}

// fix takes over what of a limit never changes.
func (f *limitForm) fix(l *limit.Limit) {
	f.Measure, f.Window, f.Zone, f.Credits, f.Everywhere = string(l.Measure), string(l.Window), l.Zone, l.Credits, l.Workspace == ""
	if f.Credits {
		f.Amount = l.Count(l.Amount)
	}
}

// limit is what the form asks for, in a workspace.
func (f *limitForm) limit(workspace string) (limit.Limit, error) {
	l := limit.Limit{
		Workspace: workspace, Name: f.Name, Measure: limit.Measure(f.Measure), Window: limit.Window(f.Window), Soft: f.Soft, Refuse: f.Refuse,
		Unpriced: f.Unpriced, Zone: f.Zone,
	}
	if f.Everywhere {
		l.Workspace = ""
	}
	if l.Measure == limit.Concurrent || l.Measure == limit.Generations {
		l.Window = limit.Total
	}
	var err error
	if l.Amount, err = readAmount(l.Measure, f.Amount); err != nil {
		return l, err
	}
	for part := range strings.FieldsFuncSeq(f.Marks, func(r rune) bool { return r == ',' || r == ' ' || r == '%' }) {
		n, err := strconv.Atoi(part)
		if err != nil {
			return l, fault.New(fault.InvalidParameter, "Thresholds are percentages: 50, 80, 100.").Field("marks")
		}
		l.Marks = append(l.Marks, n)
	}
	for _, s := range f.Subjects {
		if s.By != "" {
			l.Subject = append(l.Subject, s.selector())
		}
	}
	return l, nil
}

// selector is what the field asks for: without a value each has a counter of its own.
func (s subjectField) selector() limit.Selector {
	by, value := s.By, s.Value
	if by == string(limit.ByTag) {
		by, value, _ = strings.Cut(value, "=")
		by = string(limit.ByTag) + strings.TrimSpace(by)
	}
	value = cmp.Or(value, limit.Each)
	return limit.Selector{By: limit.Dimension(by), Value: value}
}

func readAmount(m limit.Measure, text string) (int64, error) {
	if m == limit.Dollars {
		n, err := price.Parse(price.Ungroup(text))
		if err != nil {
			return 0, fault.New(fault.InvalidParameter, "An amount of dollars is written as 12.50.").Field("amount")
		}
		return int64(n), nil
	}
	n, err := strconv.ParseInt(price.Ungroup(text), 10, 64)
	if err != nil {
		return 0, fault.New(fault.InvalidParameter, "The amount is a whole number.").Field("amount")
	}
	return n, nil
}

func marksText(marks []int) string {
	list := make([]string, len(marks))
	for i, m := range marks {
		list[i] = strconv.Itoa(m)
	}
	return strings.Join(list, ", ")
}

// factsOf is what a limit is, line by line.
func factsOf(l *limit.Limit) [][2]string {
	of := "All calls of the workspace, together"
	if l.Workspace == "" {
		of = "All calls of the installation, together"
	}
	if len(l.Subject) > 0 {
		var list []string
		for _, s := range l.Subject {
			if s.Value == limit.Each {
				list = append(list, "each "+page.DimensionWord(s.By)+" for itself")
			} else {
				list = append(list, page.DimensionWord(s.By)+" "+s.Value)
			}
		}
		of = page.InWords(strings.Join(list, ", "))
	}
	kind := "Hard: what would pass it is refused"
	switch {
	case l.Soft:
		kind = "Soft: it tells, and lets pass"
	case !l.Refuse && slices.Contains([]limit.Measure{limit.Dollars, limit.Tokens, limit.TokensOut}, l.Measure) && l.Durable():
		kind = "Hard: answers get shorter near the end, then calls are refused"
	}
	facts := [][2]string{{"Counts", measureWords[l.Measure]}, {"Begins anew", windowWords[l.Window]}, {"Of whom", of}, {"Kind", kind}}
	if l.Durable() && l.Window != limit.Total && l.Window != limit.Minute {
		zone := cmp.Or(l.Zone, "UTC")
		facts = append(facts, [2]string{"Calendar of", zone})
	}
	if l.Measure == limit.Dollars && !l.Soft {
		facts = append(facts, [2]string{"Models without a price", map[bool]string{true: "pass, and count nothing", false: "are refused"}[l.Unpriced]})
	}
	if len(l.Marks) > 0 {
		facts = append(facts, [2]string{"Marked at", marksText(l.Marks) + " %"})
	}
	return facts
}
