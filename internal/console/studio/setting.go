package studio

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"stele/internal/console/page"
	"stele/internal/media"
)

// setting is a field of the form.
type setting struct {
	Name, Label, About string
	Widget             string // prompt, area, text, number, range, seed, switch, select, tiles, shapes, boxes, lines or files
	Required           bool
	Value              string
	Default            string
	Options            []settingOption
	Min, Max, Step     string
	Longest            int // characters
	Kind               string
	Accept             string // content types of files
	Most               int    // files
	Files              []givenFile
	Problem, Code      string
}

type settingOption struct {
	Value, Label string
	On           bool
	Width        int // of the pictogram of a shape, within 24; 0: it has none
	Height       int
}

// Left is where a pictogram begins.
func (o settingOption) Left() int { return (24 - o.Width) / 2 }

// Top is where a pictogram begins.
func (o settingOption) Top() int { return (24 - o.Height) / 2 }

// ID is the id of the setting's input.
func (s setting) ID() string { return "set-" + s.Name }

func (s *setting) isChanged() bool {
	if len(s.Options) == 0 {
		return s.Value != s.Default
	}
	var on []string
	for _, o := range s.Options {
		if o.On {
			on = append(on, o.Value)
		}
	}
	return strings.Join(on, "\n") != s.Default
}

// set puts a value, or those of a list, into the field.
func (s *setting) set(values []string) {
	s.Value = strings.Join(values, "\n")
	if s.Widget == "switch" && len(values) > 0 { // a box that is not ticked sends nothing but what stands before it
		s.Value = values[len(values)-1]
	}
	for i := range s.Options {
		s.Options[i].On = slices.Contains(values, s.Options[i].Value)
	}
}

// inputSetting is the field for the prompt, or for files.
func inputSetting(o *media.Operation, name string) setting {
	limit := o.Limits[name]
	s := setting{Name: name, Required: slices.Contains(o.Input.Required, name), Longest: limit.Length, Kind: media.Takes(name)}
	if name == "prompt" {
		s.Widget, s.Label = "prompt", "Prompt"
		return s
	}
	s.Widget, s.Label, s.Most = "files", inputLabels[name], 1
	if media.Lists(name) {
		s.Most = cmp.Or(limit.Items, 8)
	}
	s.Accept = cmp.Or(strings.Join(limit.Formats, ","), s.Kind+"/*")
	var facts []string
	if s.Most > 1 {
		facts = append(facts, fmt.Sprintf("up to %d", s.Most))
	}
	if limit.MB > 0 {
		facts = append(facts, fmt.Sprintf("%g MB each", limit.MB))
	}
	if len(limit.Formats) > 0 {
		facts = append(facts, shortTypes(limit.Formats))
	}
	s.About = page.InWords(strings.Join(facts, " · "))
	return s
}

var inputLabels = map[string]string{
	"image_urls": "Pictures", "start_frame": "First frame", "end_frame": "Last frame", "video_urls": "Clips", "audio_urls": "Sounds",
}

// parameterSetting is the field for a parameter, by its type and its bounds.
func parameterSetting(p *media.Parameter) setting {
	s := setting{
		Name: p.Name, Label: cmp.Or(p.Label, page.InWords(p.Name)), About: p.Description, Required: p.Required, Longest: p.MaxLength,
		Min: page.FormatBound(p.Min), Max: page.FormatBound(p.Max), Step: page.FormatBound(p.Step),
	}
	for _, v := range p.Values {
		s.Options = append(s.Options, settingOption{Value: page.FormText(v), Label: optionLabel(page.FormText(v))})
	}
	s.Widget = settingWidget(p)
	if s.Widget == "shapes" {
		for i := range s.Options {
			s.Options[i].Width, s.Options[i].Height = pictogram(s.Options[i].Value)
		}
	}
	if s.Step == "" {
		s.Step = "any"
		if p.Type == "integer" {
			s.Step = "1"
		}
	}
	if s.Widget == "range" && s.Step == "any" {
		s.Step = page.FormatBound(fineStep(*p.Min, *p.Max))
	}
	if p.Default != nil {
		s.set(page.FormTexts(p.Default))
	}
	if s.Widget == "switch" && s.Value == "" {
		s.Value = "false"
	}
	s.Default = s.Value
	return s
}

// settingWidget is how a parameter is best set.
func settingWidget(p *media.Parameter) string {
	switch {
	case p.Type == "array" && len(p.Values) > 0:
		return "boxes"
	case p.Type == "array":
		return "lines"
	case len(p.Values) > 0:
		return choiceWidget(p)
	case p.Type == "boolean":
		return "switch"
	case p.Name == "seed" && p.Type == "integer":
		return "seed"
	case (p.Type == "integer" || p.Type == "number") && p.Min != nil && p.Max != nil && p.Default != nil && *p.Max-*p.Min <= 1e5:
		return "range"
	case p.Type == "integer" || p.Type == "number":
		return "number"
	case p.MaxLength > 200 || strings.Contains(p.Name, "prompt") || p.Name == "text":
		return "area"
	}
	return "text"
}

func choiceWidget(p *media.Parameter) string {
	shapes, letters := 0, 0
	for _, v := range p.Values {
		letters += len(page.FormText(v))
		if w, _ := pictogram(page.FormText(v)); w > 0 {
			shapes++
		}
	}
	switch {
	case shapes > 1 && shapes >= len(p.Values)-1 && len(p.Values) <= 12:
		return "shapes"
	case len(p.Values) <= 4 && letters <= 28 && (p.Default != nil || p.Required):
		return "tiles"
	}
	return "select"
}

var shapeText = regexp.MustCompile(`^(\d{1,5})[:x×](\d{1,5})$`)

// readShape reads the shape that a value names: 16:9, 1024x1536.
func readShape(value string) (width, height float64, ok bool) {
	m := shapeText.FindStringSubmatch(value)
	if m == nil {
		return 0, 0, false
	}
	width, _ = strconv.ParseFloat(m[1], 64)
	height, _ = strconv.ParseFloat(m[2], 64)
	return width, height, width > 0 && height > 0
}

// pictogram is the size of a small rectangle of the shape that a value names.
func pictogram(value string) (width, height int) {
	w, h, ok := readShape(value)
	if !ok {
		return 0, 0
	}
	const side = 20
	return max(4, int(side*min(1, w/h))), max(4, int(side*min(1, h/w)))
}

// fineStep is a step for a slider over a range that has none.
func fineStep(from, to float64) *float64 {
	step := 1.0
	switch wide := to - from; {
	case wide <= 2:
		step = 0.05
	case wide <= 20:
		step = 0.1
	case wide <= 64:
		step = 0.5
	}
	return &step
}
