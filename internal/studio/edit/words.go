package edit

import (
	"image/color"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"
)

// phrase is an edit named in plain words.
type phrase struct {
	words *regexp.Regexp
	do    func(e *Edit, m []string, degree float64)
}

func onSaying(pattern string, do func(e *Edit, m []string, degree float64)) phrase {
	return phrase{regexp.MustCompile(`(?i)\b(?:` + pattern + `)\b`), do}
}

var (
	slightly = regexp.MustCompile(`(?i)\b(slight|slightly|a bit|a little|gently|subtle|softly)\b`)
	strongly = regexp.MustCompile(`(?i)\b(very|much|strongly|heavily|extremely|a lot)\b`)
	inQuotes = regexp.MustCompile(`["“]([^"“”]{1,300})["”]`)
)

// phrases are looked for in a prompt. A parameter that was set wins: words only change
// what is still as it was.
var phrases = []phrase{
	onSaying(`black[ -]and[ -]white|gr[ae]y ?scale|monochrome|b&w`, func(e *Edit, _ []string, _ float64) { e.Light.Gray = true }),
	onSaying(`sepia|vintage`, func(e *Edit, _ []string, _ float64) { e.tint(color.RGBA{0x8a, 0x5a, 0x2b, 255}, 0.75) }),
	onSaying(`warm|warmer`, func(e *Edit, _ []string, k float64) { e.tint(color.RGBA{0xff, 0x9a, 0x3c, 255}, 0.22*k) }),
	onSaying(`cool|cooler|cold|colder`, func(e *Edit, _ []string, k float64) { e.tint(color.RGBA{0x3c, 0x8c, 0xff, 255}, 0.22*k) }),
	onSaying(`(red|orange|yellow|green|teal|cyan|blue|purple|violet|pink|brown) (?:tint|tone|filter|wash)`, func(e *Edit, m []string, _ float64) {
		e.tint(colornames.Map[strings.ToLower(m[1])], 0.6)
	}),
	onSaying(`blur|blurred|blurry|out of focus`, func(e *Edit, _ []string, k float64) { set(&e.Blur, 8*k) }),
	onSaying(`sharp|sharpen|sharper|crisp|crisper`, func(e *Edit, _ []string, k float64) { set(&e.Sharpen, k) }),
	onSaying(`bright|brighten|brighter|lighten|lighter`, func(e *Edit, _ []string, k float64) { set(&e.Light.Brightness, 0.3*k) }),
	onSaying(`dark|darken|darker`, func(e *Edit, _ []string, k float64) { set(&e.Light.Brightness, -0.3*k) }),
	onSaying(`less contrast|lower contrast`, func(e *Edit, _ []string, k float64) { set(&e.Light.Contrast, -0.3*k) }),
	onSaying(`more contrast|higher contrast|high contrast|contrasty|punchy`, func(e *Edit, _ []string, k float64) { set(&e.Light.Contrast, 0.3*k) }),
	onSaying(`vivid|saturate|saturated|colou?rful|vibrant`, func(e *Edit, _ []string, k float64) { set(&e.Light.Saturation, 0.4*k) }),
	onSaying(`desaturate|desaturated|muted|faded|washed out`, func(e *Edit, _ []string, k float64) { set(&e.Light.Saturation, -0.4*k) }),
	onSaying(`(?:rotate|turn)\D{0,20}?(\d{1,3})(?: degrees|°| deg)?( counter| anti|.{0,12}left)?`, func(e *Edit, m []string, _ float64) {
		degrees, _ := strconv.ParseFloat(m[1], 64)
		if m[2] != "" {
			degrees = -degrees
		}
		set(&e.Rotate, degrees)
	}),
	onSaying(`(?:rotate|turn)[^.,\d]{0,20}?(left|right|clockwise)`, func(e *Edit, m []string, _ float64) {
		if strings.EqualFold(m[1], "left") {
			set(&e.Rotate, -90)
		} else {
			set(&e.Rotate, 90)
		}
	}),
	onSaying(`upside[ -]down`, func(e *Edit, _ []string, _ float64) { set(&e.Rotate, 180) }),
	onSaying(`(?:flip|mirror)\w*[^.,]{0,20}?vertical\w*`, func(e *Edit, _ []string, _ float64) { choose(&e.Flip, "vertical") }),
	onSaying(`flip|flipped|mirror|mirrored`, func(e *Edit, _ []string, _ float64) { choose(&e.Flip, "horizontal") }),
	onSaying(`square`, func(e *Edit, _ []string, _ float64) { set(&e.Crop, 1) }),
	onSaying(`crop\w*\D{0,12}?(\d{1,2}):(\d{1,2})`, func(e *Edit, m []string, _ float64) {
		if shape, ok := Shape(m[1] + ":" + m[2]); ok {
			set(&e.Crop, shape)
		}
	}),
	onSaying(`widescreen`, func(e *Edit, _ []string, _ float64) { set(&e.Crop, 16.0/9) }),
	onSaying(`(\d{2,4}) ?[x×] ?(\d{2,4})(?: pixels| px)?`, func(e *Edit, m []string, _ float64) {
		w, _ := strconv.Atoi(m[1])
		h, _ := strconv.Atoi(m[2])
		if e.Width == 0 && e.Height == 0 && min(w, h) >= 16 {
			e.Width, e.Height = w, h
		}
	}),
	onSaying(`thumbnail`, func(e *Edit, _ []string, _ float64) {
		if e.Width == 0 && e.Height == 0 {
			e.Width, e.Height, e.Fit = 256, 256, "inside"
		}
	}),
	onSaying(`(?:upscale|enlarge|scale up)\D{0,10}?4 ?x?|4x|four times`, func(e *Edit, _ []string, _ float64) { set(&e.Upscale, 4) }),
	onSaying(`upscale|upscaled|enlarge|bigger|larger|2x|twice the size|double the size`, func(e *Edit, _ []string, _ float64) { set(&e.Upscale, 2) }),
	onSaying(`round(?:ed)? (?:the )?corners`, func(e *Edit, _ []string, _ float64) { set(&e.Corners, 0.08) }),
}

// together are ways to make one picture of several.
var together = []phrase{
	onSaying(`side[ -]by[ -]side|next to each other|before and after`, func(e *Edit, _ []string, _ float64) { choose(&e.Compose, "side_by_side") }),
	onSaying(`in a row`, func(e *Edit, _ []string, _ float64) { choose(&e.Compose, "row") }),
	onSaying(`in a column|stack|stacked|below each other`, func(e *Edit, _ []string, _ float64) { choose(&e.Compose, "column") }),
	onSaying(`grid|collage|combine|compose|merge|together|contact sheet`, func(e *Edit, _ []string, _ float64) { choose(&e.Compose, "grid") }),
}

// Understand reads a prompt for edits in plain words, of so many pictures.
func (e *Edit) Understand(prompt string, pictures int) {
	if quoted := inQuotes.FindStringSubmatch(prompt); quoted != nil {
		if strings.Contains(strings.ToLower(prompt), "watermark") {
			choose(&e.Watermark.Text, quoted[1])
		} else {
			choose(&e.Caption.Text, quoted[1])
		}
		prompt = inQuotes.ReplaceAllString(prompt, " ") // what is to be written is not an order
	}
	degree := 1.0
	if slightly.MatchString(prompt) {
		degree = 0.5
	} else if strongly.MatchString(prompt) {
		degree = 2
	}
	list := phrases
	if pictures > 1 {
		list = slices.Concat(together, phrases)
	}
	for _, p := range list {
		if m := p.words.FindStringSubmatch(prompt); m != nil {
			p.do(e, m, degree)
		}
	}
}

func (e *Edit) tint(c color.RGBA, strength float64) {
	if e.Light.Tint == nil {
		e.Light.Tint, e.Light.Strength = &c, min(1, strength)
	}
}

// set gives a value to what has none.
func set[N int | float64](to *N, v N) {
	if *to == 0 {
		*to = v
	}
}

func choose(to *string, v string) {
	if *to == "" || *to == "none" {
		*to = v
	}
}
