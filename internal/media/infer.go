package media

import (
	"slices"
	"strings"

	"stele/internal/fault"
)

// Infer finds the operation that is asked for. A mode that is given decides.
// Without one it is the operation whose required inputs are all given and which
// takes every input that is given; where several do, the one that also declares
// every parameter that is given.
func (m *Model) Infer(a *Ask) (*Operation, error) {
	if !empty(a.Mode) {
		if o := m.Operation(a.Mode); o != nil {
			return o, nil
		}
		return nil, fault.New(fault.ModeNotSupported, "The model %s has no mode %q.", m.ID, shorten(a.Mode)).
			Field("mode").With("got", shorten(a.Mode)).With("modes", m.Modes())
	}
	var fitting []*Operation
	for i := range m.Operations {
		if o := &m.Operations[i]; o.fits(a) {
			fitting = append(fitting, o)
		}
	}
	switch len(fitting) {
	case 0:
		return nil, m.refuseInputs(a)
	case 1:
		return fitting[0], nil
	}
	declaring := slices.DeleteFunc(slices.Clone(fitting), func(o *Operation) bool {
		for name := range a.Parameters {
			if o.Parameter(name) == nil {
				return true
			}
		}
		return false
	})
	if len(declaring) == 1 {
		return declaring[0], nil
	}
	var modes []string
	for _, o := range fitting {
		modes = append(modes, o.Mode)
	}
	return nil, fault.New(fault.AmbiguousMode, "These inputs fit several modes of the model %s: say which in mode.", m.ID).With("modes", modes)
}

func (o *Operation) fits(a *Ask) bool { return o.takesAll(a) && len(o.lacks(a)) == 0 }

// takesAll reports whether the operation takes every input that is given.
func (o *Operation) takesAll(a *Ask) bool {
	return !slices.ContainsFunc(a.inputs(), func(f string) bool { return !o.Takes(f) })
}

// lacks lists the required inputs that are not given.
func (o *Operation) lacks(a *Ask) []string {
	return slices.DeleteFunc(Inputs(), func(f string) bool { return a.Gives(f) || !slices.Contains(o.Input.Required, f) })
}

// refuseInputs says that no mode fits, and what those lack that take all that is given.
func (m *Model) refuseInputs(a *Ask) error {
	var lacking []string
	for i := range m.Operations {
		if o := &m.Operations[i]; o.takesAll(a) {
			lacking = append(lacking, strings.Join(o.lacks(a), " and ")+" for "+o.Mode)
		}
	}
	sentence := "No mode of the model " + m.ID + " takes exactly these inputs."
	if len(lacking) > 0 {
		sentence += " What is missing: " + strings.Join(lacking, ", or ") + "."
	}
	return fault.New(fault.UnsupportedInput, "%s", sentence).With("modes", m.Modes()).With("given", a.inputs())
}

// inputs lists the fields of the input that are given.
func (a *Ask) inputs() []string {
	return slices.DeleteFunc(Inputs(), func(field string) bool { return !a.Gives(field) })
}
