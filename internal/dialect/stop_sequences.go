package dialect

import "stele/internal/chat"

// Stops are the stop sequences that can be met, each once. APIs refuse empty ones, and take
// only so many; what is left out changes no answer.
func Stops(given []string) (stops []string, losses []chat.Loss) {
	known := make(map[string]bool)
	for _, stop := range given {
		switch {
		case stop == "":
			losses = []chat.Loss{chat.Lost(chat.FieldStop, chat.Ignored, "an empty one is left out")}
		case !known[stop]:
			known[stop] = true
			stops = append(stops, stop)
		}
	}
	return stops, losses
}
