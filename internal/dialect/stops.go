package dialect

import (
	"slices"

	"stele/internal/chat"
)

// Stops are the stop sequences that can be met, each once. APIs refuse empty ones, and take
// only so many; what is left out changes no answer.
func Stops(given []string) (stops []string, losses []chat.Loss) {
	for _, stop := range given {
		switch {
		case stop == "":
			losses = []chat.Loss{chat.Lost(chat.FieldStop, chat.Ignored, "an empty one is left out")}
		case !slices.Contains(stops, stop):
			stops = append(stops, stop)
		}
	}
	return stops, losses
}
