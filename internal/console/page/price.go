package page

import "stele/internal/price"

// ClassLabel is a class of tokens as people read it.
func ClassLabel(c price.Class) string {
	return [price.Classes]string{
		"Input", "Cached input", "Cache writes", "Output", "Cache writes, 1 h", "Reasoning",
		"Sound in", "Sound in, cached", "Sound out", "Pictures in", "Pictures in, cached", "Pictures out",
	}[c]
}
