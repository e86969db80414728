package studio

import (
	"cmp"
	"fmt"
	"strings"

	"stele/internal/console/page"
	"stele/internal/media"
	"stele/internal/price"
)

func kindLabel(kind string) string {
	return map[string]string{"image": "Pictures", "video": "Clips", "audio": "Sound"}[kind]
}

// modeLabel is a mode in words: text_to_image is Text to image.
func modeLabel(mode string) string {
	return cmp.Or(map[string]string{
		"text_to_image":   "Words to picture",
		"image_to_image":  "Edit pictures",
		"text_to_video":   "Words to clip",
		"frames_to_video": "Frames to clip",
		"text_to_audio":   "Words to sound",
		"text_to_speech":  "Speech",
	}[mode], page.InWords(mode))
}

// optionLabel is a value as a list of choices shows it.
func optionLabel(value string) string {
	if value == "" || strings.ContainsAny(value[:1], "0123456789") || strings.ContainsAny(value, "/-.") {
		return value
	}
	return page.InWords(value)
}

// priceFrom is what a model costs at least, in a few words.
func priceFrom(m *media.Model) string {
	least, unit := price.Amount(0), ""
	for i := range m.Operations {
		p := &m.Operations[i].Price
		if figure := p.Least(); figure > 0 && (least == 0 || figure < least) {
			least, unit = figure, p.Per
		}
	}
	if least == 0 {
		return "Free"
	}
	return "from " + least.Exact() + " per " + cmp.Or(unit, "request")
}

// studioPrice is a price as the studio shows it.
func studioPrice(nano int64) string {
	if nano == 0 {
		return "Free"
	}
	return price.Amount(nano).Rounded()
}

func shortTypes(types []string) string {
	var names []string
	for _, t := range types {
		_, name, _ := strings.Cut(t, "/")
		names = append(names, strings.TrimPrefix(name, "x-"))
	}
	return strings.Join(names, ", ")
}

// clockTime is a length as players show it: 0:05.
func clockTime(seconds float64) string {
	if seconds <= 0 {
		return ""
	}
	whole := int(seconds + 0.5)
	return fmt.Sprintf("%d:%02d", whole/60, whole%60)
}

// taskAdvice is what to do about a task that failed with a code.
func taskAdvice(code string) string {
	return map[string]string{
		"invalid_input":                 "Change the prompt, the files or the settings and run it again.",
		"content_policy":                "Say it in other words, or use other files. Nothing was charged.",
		"generation_failed":             "Run it again. If it fails once more, try other settings or another model.",
		"provider_rejected_credentials": "The key of this provider does not work. Whoever runs Stele can correct it under Providers.",
		"provider_unavailable":          "Wait a little and run it again, or use another model.",
		"timeout":                       "It took too long. Run it again, or ask for something smaller.",
		"canceled":                      "Somebody stopped it. Run it again when you want it.",
	}[code]
}
