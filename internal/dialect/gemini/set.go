package gemini

import "slices"

// set is names that were met. Few are kept in a list, many in a map, so that a
// body with a million members costs what it should.
type set struct {
	few  []string
	many map[string]struct{}
}

const few = 24

func (s *set) has(name string) bool {
	if s.many != nil {
		_, ok := s.many[name]
		return ok
	}
	return slices.Contains(s.few, name)
}

// add puts a name in and reports whether it is new.
func (s *set) add(name string) bool {
	if s.has(name) {
		return false
	}
	switch {
	case s.many != nil:
		s.many[name] = struct{}{}
	case len(s.few) < few:
		s.few = append(s.few, name)
	default:
		s.many = map[string]struct{}{name: {}}
		for _, n := range s.few {
			s.many[n] = struct{}{}
		}
	}
	return true
}
