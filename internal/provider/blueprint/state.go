package blueprint

import (
	"math"
	"regexp"
	"slices"
	"strconv"

	"stele/internal/media"
)

// gone is the state of work that the provider does not know, beside those of
// media.
const gone = "gone"

// States that files may name.
var states = []string{
	string(media.Pending), string(media.Processing), string(media.Success), string(media.Failed), string(media.Canceled), gone,
}

// reading is what an answer says of the state of work.
type reading struct {
	state string
	class media.Class
	odd   string // a state that the file does not know
}

// read tells the state, "" where the answer does not say it.
func (s *State) read(doc any, id string) reading {
	for _, sign := range s.When {
		if sign.holds(doc, id) {
			return reading{state: sign.Is, class: sign.Class}
		}
	}
	if !s.Path.isGiven() {
		return reading{}
	}
	value := s.Path.with(id).text(doc)
	if state, ok := s.Map[value]; ok {
		return reading{state: state}
	}
	return reading{odd: value}
}

func (s *Sign) holds(doc any, id string) bool {
	if s.Exists.isGiven() {
		if _, ok := s.Exists.with(id).one(doc); !ok {
			return false
		}
	}
	return haveAll(doc, s.Has, id)
}

// haveAll reports whether a document meets all conditions.
func haveAll(doc any, all []Condition, id string) bool {
	return !slices.ContainsFunc(all, func(f Condition) bool { return !f.holds(doc, id) })
}

func (f *Condition) holds(doc any, id string) bool {
	wanted := f.In
	if f.Is != nil {
		wanted = append(slices.Clone(f.In), fillIn(f.Is, id))
	}
	return slices.ContainsFunc(f.Path.with(id).all(doc), func(got any) bool {
		return slices.ContainsFunc(wanted, func(want any) bool { return equal(got, want) })
	})
}

// read is the place in the line, 1 for the next; 0 where it is not known.
func (p *Position) read(doc any) int {
	if p == nil {
		return 0
	}
	v, ok := p.Path.one(doc)
	if !ok {
		return 0
	}
	before, ok := numberOf(v)
	if !ok || !(before >= 0 && before < 1<<30) {
		return 0
	}
	return int(before) + 1
}

var percentage = regexp.MustCompile(`(\d{1,3})%`)

// read tells how much is done, 0 where that is not known.
func (p *Progress) read(doc any) float64 {
	if p == nil {
		return 0
	}
	v, ok := p.Path.one(doc)
	if !ok {
		return 0
	}
	n, ok := numberOf(v)
	if p.Text {
		all := percentage.FindAllStringSubmatch(media.Plain(v), -1)
		if len(all) == 0 {
			return 0
		}
		whole, err := strconv.Atoi(all[len(all)-1][1])
		n, ok = float64(whole), err == nil
	}
	if !ok || math.IsNaN(n) || n < 0 {
		return 0
	}
	if n > 1 || p.Text {
		n /= 100
	}
	return min(n, 1)
}
