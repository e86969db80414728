package media

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Reference is a text in a template that stands for a value: $prompt,
// $image_urls[0], $start_frame.base64, $duration|str. A text that begins with $$
// is none: it is the text without the first $.
type Reference struct {
	Name    string   // a field of the request, or one of builtin
	Index   int      // of a list's element; -1: the whole
	Part    string   // of a file: see Parts; "": in the form that the provider takes
	Filters []Filter // in their order
}

// Filter changes a value's type or unit.
type Filter struct {
	Name     string
	Argument string
}

// builtin lists what a reference may name beside fields of the request. item is
// the element of each and spread, random a whole number below 2^31 that is the
// same for the same piece of work.
func builtin() []string {
	return []string{"item", "upstream", "operation_id", "mode", "graph", "random"}
}

// parts lists what a reference may take of a file: its bytes in base 64, its
// content type, or the file itself as part of a form.
func parts() []string { return []string{"base64", "mime", "file"} }

// filters lists the filters:
//
//	str       5 becomes "5"
//	upper     720p becomes 720P
//	suffix:s  5 becomes "5s"
//	ms        seconds become milliseconds
//	frames:24 seconds become a number of frames
func filters() []string { return []string{"str", "upper", "suffix", "ms", "frames"} }

var referenceForm = regexp.MustCompile(`^\$([a-z][a-z0-9_]*)(?:\[([0-9]{1,3})\])?(?:\.([a-z0-9]+))?((?:\|[a-z]+(?::[^|]*)?)*)$`)

// ParseReference reads a text of a template. The second result tells whether it is
// a reference at all.
func ParseReference(text string) (ref Reference, is bool, err error) {
	if !strings.HasPrefix(text, "$") || strings.HasPrefix(text, "$$") {
		return Reference{}, false, nil
	}
	match := referenceForm.FindStringSubmatch(text)
	if match == nil {
		return Reference{}, true, errors.New("expected a reference such as $prompt, $image_urls[0] or $duration|str; a text that begins with $ is written $$")
	}
	ref = Reference{Name: match[1], Index: -1, Part: match[3]}
	if match[2] != "" {
		ref.Index, _ = strconv.Atoi(match[2])
	}
	if ref.Part != "" && !slices.Contains(parts(), ref.Part) {
		return ref, true, fmt.Errorf("%q is not one of %v", ref.Part, parts())
	}
	for piece := range strings.SplitSeq(strings.TrimPrefix(match[4], "|"), "|") {
		if piece == "" {
			continue
		}
		name, argument, given := strings.Cut(piece, ":")
		if err := fitsFilter(name, argument, given); err != nil {
			return ref, true, err
		}
		ref.Filters = append(ref.Filters, Filter{name, argument})
	}
	return ref, true, nil
}

func fitsFilter(name, argument string, given bool) error {
	switch name {
	case "str", "upper", "ms":
		if given {
			return fmt.Errorf("the filter %s takes nothing", name)
		}
	case "suffix":
		if argument == "" {
			return errors.New("the filter suffix takes a text, as in suffix:s")
		}
	case "frames":
		if n, err := strconv.Atoi(argument); err != nil || n < 1 || n > 1000 {
			return errors.New("the filter frames takes a number, as in frames:24")
		}
	default:
		return fmt.Errorf("the filter %q is not one of %v", name, filters())
	}
	return nil
}

// Step is one step into a body: a key of an object, then elements of lists.
type Step struct {
	Key     string
	Indexes []int // -1 appends
}

var stepForm = regexp.MustCompile(`^([^.\[\]]+)((?:\[[0-9]{0,3}\])*)$`)

// parsePath reads the place in a body that a rule writes to: content[], a.b,
// images[0].url.
func parsePath(text string) ([]Step, error) {
	var steps []Step
	for piece := range strings.SplitSeq(text, ".") {
		match := stepForm.FindStringSubmatch(piece)
		if match == nil {
			return nil, errors.New("expected a place such as model, input.prompt, images[0] or content[]")
		}
		step := Step{Key: match[1]}
		for index := range strings.SplitSeq(strings.ReplaceAll(match[2], "[", ""), "]") {
			step.Indexes = append(step.Indexes, -1)
			if index != "" {
				step.Indexes[len(step.Indexes)-1], _ = strconv.Atoi(index)
			}
		}
		step.Indexes = step.Indexes[:len(step.Indexes)-1] // what follows the last bracket
		steps = append(steps, step)
	}
	return steps, nil
}
