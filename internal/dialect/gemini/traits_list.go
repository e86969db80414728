package gemini

import (
	"cmp"

	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// EncodeModel is a model as the list has it. Google's has a version and a description of every one, and
// clients read both.
func (Codec) EncodeModel(m *dialect.Model) ([]byte, error) {
	w := jsonscan.NewWriter(nil).Open(jsonscan.Object).Key("name").Text("models/" + m.ID).Key("version").Text("1")
	w.Key("displayName").Text(cmp.Or(m.Name, m.ID)).Key("description").Text(m.Description)
	if n := m.Traits.Window; n > 0 {
		w.Key("inputTokenLimit").Int(n)
	}
	if n := m.Traits.Output; n > 0 {
		w.Key("outputTokenLimit").Int(n)
	}
	w.Key("supportedGenerationMethods").Open(jsonscan.Array).Text("generateContent").Text("streamGenerateContent").Close(jsonscan.Array)
	if thinks, known := m.Capabilities["reasoning"]; known {
		w.Key("thinking").Bool(thinks)
	}
	return w.Close(jsonscan.Object).Bytes(), nil
}

// ListModels is the list of models that EncodeModel has written, all on one page.
func (Codec) ListModels(models [][]byte) []byte {
	return jsonscan.NewWriter(nil).Open(jsonscan.Object).Key("models").List(models).Close(jsonscan.Object).Bytes()
}
