package apps

import (
	"fmt"
	"slices"
	"strings"

	"stele/internal/access"
	"stele/internal/media"
)

// appHelp is what an editor offers to put in.
type appHelp struct {
	Media     []helpModel
	Chat      []helpItem
	Functions []helpItem
	Parts     []helpItem
}

type helpModel struct {
	ID, Name string
	Modes    []helpItem
}

// helpItem is a thing to put in, and what it is.
type helpItem struct{ Name, About, Text string }

const mostHelp = 200 // models of each sort

func (c *Room) appHelp(v access.Visitor) appHelp {
	h := appHelp{Functions: helpFunctions(), Parts: helpParts()}
	for _, m := range c.Models.Media(v.Principal().Scope, "") {
		if len(h.Media) == mostHelp {
			break
		}
		model := helpModel{ID: m.ID, Name: m.Name}
		for i := range m.Operations {
			o := &m.Operations[i]
			model.Modes = append(model.Modes, helpItem{Name: o.Mode, About: o.Description, Text: generateStep(&m, o)})
		}
		h.Media = append(h.Media, model)
	}
	for _, m := range c.Models.Models(v.Principal().Scope) {
		if len(h.Chat) == mostHelp {
			break
		}
		h.Chat = append(h.Chat, helpItem{m.ID, m.Name, "  - id: answer\n    chat:\n      model: " + m.ID + "\n      prompt: ${inputs.idea}\n"})
	}
	return h
}

// generateStep is a step that asks a model for what it needs, with its fields to fill in.
func generateStep(m *media.Model, o *media.Operation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  - id: made\n    generate:\n      model: %s\n      mode: %s\n      with:\n", m.ID, o.Mode)
	for _, name := range o.Input.Required {
		switch {
		case media.Takes(name) != "" && media.Lists(name):
			fmt.Fprintf(&b, "        %s: [\"${steps.STEP.%s}\"]\n", name, media.Takes(name))
		case media.Takes(name) != "":
			fmt.Fprintf(&b, "        %s: ${steps.STEP.%s}\n", name, media.Takes(name))
		default:
			fmt.Fprintf(&b, "        %s: ${inputs.idea}\n", name)
		}
	}
	others := slices.Clone(o.Input.Optional)
	for _, p := range o.Parameters {
		if p.Required {
			fmt.Fprintf(&b, "        %s: \n", p.Name)
		} else {
			others = append(others, p.Name)
		}
	}
	if len(others) > 0 {
		fmt.Fprintf(&b, "        # also: %s\n", strings.Join(others, ", "))
	}
	return b.String()
}

const (
	planStep = `  - id: plan
    chat:
      model: stele/sandbox
      prompt: Plan ${inputs.idea}
      schema:
        type: object
        required: [list]
        properties:
          list: {type: array, items: {type: string}, minItems: 1, maxItems: 6}
`
	composeStep = `  - id: sheet
    file:
      compose: ${map(steps.pictures, .image)}
      layout: grid
      format: png
`
)

func helpParts() []helpItem {
	return []helpItem{
		{"input", "A value that whoever runs the app gives.", "  - {name: idea, type: string, required: true, max_length: 200, label: Idea}\n"},
		{"choice", "An input with a list to choose from.", "  - {name: style, type: string, default: poster, enum: [poster, card, quote], label: Style}\n"},
		{"files", "An input of pictures.", "  - {name: pictures, type: array, media: image, required: true, max_items: 8, label: Pictures}\n"},
		{"chat with a plan", "A chat model answers with data.", planStep},
		{"each", "A step for every item of a list.", "    each: ${steps.plan.data.list}\n    parallel: 3\n"},
		{"when", "A step that is left out unless.", "    when: ${inputs.style != 'poster'}\n"},
		{"compose", "Pictures put together on one.", composeStep},
		{"result", "What a run gives back.", "result:\n  images: ${steps.made.image}\n"},
	}
}

func helpFunctions() []helpItem {
	return []helpItem{
		{"map", "map(list, .field) makes something of every item", "map(steps.made, .image)"},
		{"filter", "filter(list, # > 1) keeps some items", "filter(steps.made, .ok)"},
		{"concat", "concat(one, two) joins lists", "concat([a], b)"},
		{"take", "take(list, n) is the first n items", "take(list, 3)"},
		{"len", "len(list or text) counts", "len(inputs.idea)"},
		{"join", "join(list, \", \") makes a text of a list", "join(list, \", \")"},
		{"split", "split(text, \",\") makes a list of a text", "split(inputs.idea, \",\")"},
		{"upper, lower, trim", "change a text", "trim(inputs.idea)"},
		{"replace", "replace(text, \"a\", \"b\")", "replace(inputs.idea, \"a\", \"b\")"},
		{"1..5", "the numbers from 1 to 5", "1..inputs.copies"},
		{"a ? b : c", "b where a is true, else c", "inputs.a ? inputs.b : inputs.c"},
		{"a ?? b", "a, or b where a is nothing", "inputs.a ?? 'none'"},
	}
}
