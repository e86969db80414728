package dialect

import (
	"stele/internal/jsonscan"
	"stele/internal/price"
)

// costName is what the three dialects call it: OpenRouter's name, in USD.
const costName = "cost"

// WriteCost writes the member that tells what an answer cost, if the client is to know.
func WriteCost(w *jsonscan.Writer, nano *int64) {
	if nano != nil {
		w.Key(costName).Raw(price.Amount(*nano).Append(nil))
	}
}

// PutCost puts the same into a usage that lies in raw, in the place of what an upstream
// has there. What is no usage is left as it is.
func PutCost(raw []byte, usage jsonscan.Value, nano int64) []byte {
	if usage.Kind() != jsonscan.Object || raw[usage.To()-1] != '}' { // it is cut short
		return raw
	}
	var edits jsonscan.Edits
	text := price.Amount(nano).Append(nil)
	if old := usage.Get(costName); old.Exists() {
		edits.Replace(old, text)
	} else {
		edits.Append(usage, costName, text)
	}
	out, err := edits.Apply(raw)
	if err != nil {
		return raw
	}
	return out
}
