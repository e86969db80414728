// Package media is the common generation: which media models there are, what
// their operations take, and what comes out. It must not know providers, tasks
// or databases.
package media

// Model is a media model: what it makes and how it may be asked.
type Model struct {
	ID          string      `yaml:"model"`
	Name        string      `yaml:"name"`
	MediaType   string      `yaml:"media_type"` // image, video or audio
	Description string      `yaml:"description"`
	Operations  []Operation `yaml:"operations"`
}

// Operation is one thing a model can do.
type Operation struct {
	Mode        string      `yaml:"mode"`
	Description string      `yaml:"description"`
	Input       Input       `yaml:"input"`
	Parameters  []Parameter `yaml:"parameters"`
}

// Input names the prompt and media fields an operation takes.
type Input struct {
	Required []string `yaml:"required"`
	Optional []string `yaml:"optional"`
}

// Parameter is a value that a caller may set: of a model's operation or of an app.
type Parameter struct {
	Name        string   `yaml:"name"`
	Type        string   `yaml:"type"` // string, number, integer, boolean or array
	Label       string   `yaml:"label"`
	Description string   `yaml:"description"`
	Default     any      `yaml:"default"`
	Values      []any    `yaml:"enum"`
	Min         *float64 `yaml:"min"`
	Max         *float64 `yaml:"max"`
	Step        *float64 `yaml:"step"`
	Required    bool     `yaml:"required"`
}

// Types lists the media types.
func Types() []string { return []string{"image", "video", "audio"} }

// Inputs lists the fields of a generation request that carry the prompt and media.
func Inputs() []string {
	return []string{"prompt", "image_urls", "start_frame", "end_frame", "video_urls", "audio_urls"}
}

// ParameterTypes lists what a parameter may be.
func ParameterTypes() []string { return []string{"string", "number", "integer", "boolean", "array"} }
