package studio

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
	do    func(e *edit, m []string, degree float64)
}

func says(pattern string, do func(e *edit, m []string, degree float64)) phrase {
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
	says(`black[ -]and[ -]white|gr[ae]y ?scale|monochrome|b&w`, func(e *edit, _ []string, _ float64) { e.light.Gray = true }),
	says(`sepia|vintage`, func(e *edit, _ []string, _ float64) { e.tint(color.RGBA{0x8a, 0x5a, 0x2b, 255}, 0.75) }),
	says(`warm|warmer`, func(e *edit, _ []string, k float64) { e.tint(color.RGBA{0xff, 0x9a, 0x3c, 255}, 0.22*k) }),
	says(`cool|cooler|cold|colder`, func(e *edit, _ []string, k float64) { e.tint(color.RGBA{0x3c, 0x8c, 0xff, 255}, 0.22*k) }),
	says(`(red|orange|yellow|green|teal|cyan|blue|purple|violet|pink|brown) (?:tint|tone|filter|wash)`, func(e *edit, m []string, _ float64) {
		e.tint(colornames.Map[strings.ToLower(m[1])], 0.6)
	}),
	says(`blur|blurred|blurry|out of focus`, func(e *edit, _ []string, k float64) { set(&e.blur, 8*k) }),
	says(`sharp|sharpen|sharper|crisp|crisper`, func(e *edit, _ []string, k float64) { set(&e.sharpen, k) }),
	says(`bright|brighten|brighter|lighten|lighter`, func(e *edit, _ []string, k float64) { set(&e.light.Brightness, 0.3*k) }),
	says(`dark|darken|darker`, func(e *edit, _ []string, k float64) { set(&e.light.Brightness, -0.3*k) }),
	says(`less contrast|lower contrast`, func(e *edit, _ []string, k float64) { set(&e.light.Contrast, -0.3*k) }),
	says(`more contrast|higher contrast|high contrast|contrasty|punchy`, func(e *edit, _ []string, k float64) { set(&e.light.Contrast, 0.3*k) }),
	says(`vivid|saturate|saturated|colou?rful|vibrant`, func(e *edit, _ []string, k float64) { set(&e.light.Saturation, 0.4*k) }),
	says(`desaturate|desaturated|muted|faded|washed out`, func(e *edit, _ []string, k float64) { set(&e.light.Saturation, -0.4*k) }),
	says(`(?:rotate|turn)\D{0,20}?(\d{1,3})(?: degrees|°| deg)?( counter| anti|.{0,12}left)?`, func(e *edit, m []string, _ float64) {
		degrees, _ := strconv.ParseFloat(m[1], 64)
		if m[2] != "" {
			degrees = -degrees
		}
		set(&e.rotate, degrees)
	}),
	says(`(?:rotate|turn)[^.,\d]{0,20}?(left|right|clockwise)`, func(e *edit, m []string, _ float64) {
		if strings.EqualFold(m[1], "left") {
			set(&e.rotate, -90)
		} else {
			set(&e.rotate, 90)
		}
	}),
	says(`upside[ -]down`, func(e *edit, _ []string, _ float64) { set(&e.rotate, 180) }),
	says(`(?:flip|mirror)\w*[^.,]{0,20}?vertical\w*`, func(e *edit, _ []string, _ float64) { choose(&e.flip, "vertical") }),
	says(`flip|flipped|mirror|mirrored`, func(e *edit, _ []string, _ float64) { choose(&e.flip, "horizontal") }),
	says(`square`, func(e *edit, _ []string, _ float64) { set(&e.crop, 1) }),
	says(`crop\w*\D{0,12}?(\d{1,2}):(\d{1,2})`, func(e *edit, m []string, _ float64) {
		if shape, err := shapeOf(m[1]+":"+m[2], 0); err == nil {
			set(&e.crop, shape)
		}
	}),
	says(`widescreen`, func(e *edit, _ []string, _ float64) { set(&e.crop, 16.0/9) }),
	says(`(\d{2,4}) ?[x×] ?(\d{2,4})(?: pixels| px)?`, func(e *edit, m []string, _ float64) {
		w, _ := strconv.Atoi(m[1])
		h, _ := strconv.Atoi(m[2])
		if e.width == 0 && e.height == 0 && min(w, h) >= 16 {
			e.width, e.height = w, h
		}
	}),
	says(`thumbnail`, func(e *edit, _ []string, _ float64) {
		if e.width == 0 && e.height == 0 {
			e.width, e.height, e.fit = 256, 256, "inside"
		}
	}),
	says(`(?:upscale|enlarge|scale up)\D{0,10}?4 ?x?|4x|four times`, func(e *edit, _ []string, _ float64) { set(&e.upscale, 4) }),
	says(`upscale|upscaled|enlarge|bigger|larger|2x|twice the size|double the size`, func(e *edit, _ []string, _ float64) { set(&e.upscale, 2) }),
	says(`round(?:ed)? (?:the )?corners`, func(e *edit, _ []string, _ float64) { set(&e.corners, 0.08) }),
}

// together are ways to make one picture of several.
var together = []phrase{
	says(`side[ -]by[ -]side|next to each other|before and after`, func(e *edit, _ []string, _ float64) { choose(&e.compose, "side_by_side") }),
	says(`in a row`, func(e *edit, _ []string, _ float64) { choose(&e.compose, "row") }),
	says(`in a column|stack|stacked|below each other`, func(e *edit, _ []string, _ float64) { choose(&e.compose, "column") }),
	says(`grid|collage|combine|compose|merge|together|contact sheet`, func(e *edit, _ []string, _ float64) { choose(&e.compose, "grid") }),
}

// understand reads a prompt for edits in plain words.
func (e *edit) understand(prompt string, pictures int) {
	if quoted := inQuotes.FindStringSubmatch(prompt); quoted != nil {
		if strings.Contains(strings.ToLower(prompt), "watermark") {
			choose(&e.watermark.Text, quoted[1])
		} else {
			choose(&e.caption.Text, quoted[1])
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

func (e *edit) tint(c color.RGBA, strength float64) {
	if e.light.Tint == nil {
		e.light.Tint, e.light.Strength = &c, min(1, strength)
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
