package api

// The native family's own objects, field by field as the contract has them.

type wireMediaModel struct {
	Model       string          `json:"model"`
	Name        string          `json:"name"`
	MediaType   string          `json:"media_type"`
	Description string          `json:"description,omitempty"`
	Operations  []wireOperation `json:"operations"`
}

type wireOperation struct {
	Mode              string          `json:"mode"`
	Description       string          `json:"description,omitempty"`
	Input             wireInput       `json:"input"`
	InputRequirements wireInput       `json:"input_requirements"` // the same again: clients read one or the other
	Parameters        []wireParameter `json:"parameters"`

	Limits    map[string]wireLimit `json:"limits,omitempty"`
	Exclusive [][]string           `json:"exclusive,omitempty"`
	Requires  []wireRequirement    `json:"requires,omitempty"`
	Price     *wirePrice           `json:"price,omitempty"`
}

type wireLimit struct {
	MaxItems  int      `json:"max_items,omitzero"`
	MaxMB     float64  `json:"max_mb,omitzero"`
	Formats   []string `json:"formats,omitempty"`
	MaxLength int      `json:"max_length,omitzero"`
}

type wireRequirement struct {
	If   string `json:"if"`
	Then string `json:"then"`
}

type wirePrice struct {
	USD   string            `json:"usd"`
	First string            `json:"first,omitzero"`
	Per   string            `json:"per"`
	Of    string            `json:"of,omitzero"`
	By    []string          `json:"by,omitempty"`
	Table map[string]string `json:"table,omitempty"`
}

type wireInput struct {
	Required []string `json:"required"`
	Optional []string `json:"optional"`
}

type wireParameter struct {
	Name        string   `json:"name"`
	Type        string   `json:"type"`
	Label       string   `json:"label,omitempty"`
	Description string   `json:"description,omitempty"`
	Default     any      `json:"default,omitzero"`
	Enum        []any    `json:"enum,omitempty"`
	Values      []any    `json:"values,omitempty"` // the same again: clients read one or the other
	Min         *float64 `json:"min,omitempty"`
	Max         *float64 `json:"max,omitempty"`
	Step        *float64 `json:"step,omitempty"`
	Required    bool     `json:"required"`
	Items       string   `json:"items,omitempty"`
	MaxItems    int      `json:"max_items,omitzero"`
	MaxLength   int      `json:"max_length,omitzero"`
	Media       string   `json:"media,omitempty"` // of an app's input: the texts name files of this kind
}

type wireApp struct {
	ID              string          `json:"id"`
	Slug            string          `json:"slug"` // the same again: clients read one or the other
	Name            string          `json:"name"`
	Description     string          `json:"description,omitempty"`
	MediaType       string          `json:"media_type"`
	Version         int             `json:"version,omitzero"`
	InputParameters []wireParameter `json:"input_parameters"`
}

type wireFile struct {
	ID          string  `json:"id"`
	Object      string  `json:"object"`
	Provider    string  `json:"provider"`
	URL         string  `json:"url"`
	Key         string  `json:"key"`
	FileType    string  `json:"file_type"`
	ContentType string  `json:"content_type"`
	Size        int64   `json:"size"`
	Filename    string  `json:"filename"`
	SHA256      string  `json:"sha256"`
	Width       int     `json:"width,omitzero"`
	Height      int     `json:"height,omitzero"`
	Duration    float64 `json:"duration,omitzero"`
	CreatedAt   string  `json:"created_at"`
	ExpiresAt   string  `json:"expires_at"`
}

// wireOpenAIFile is a file as OpenAI's clients know it.
type wireOpenAIFile struct {
	ID        string `json:"id"`
	Object    string `json:"object"`
	Bytes     int64  `json:"bytes"`
	CreatedAt int64  `json:"created_at"`
	ExpiresAt int64  `json:"expires_at"`
	Filename  string `json:"filename"`
	Purpose   string `json:"purpose"`
	Status    string `json:"status"`
}

// wireAnthropicFile is a file as Anthropic's clients know it.
type wireAnthropicFile struct {
	ID           string `json:"id"`
	Type         string `json:"type"`
	Filename     string `json:"filename"`
	MIMEType     string `json:"mime_type"`
	SizeBytes    int64  `json:"size_bytes"`
	CreatedAt    string `json:"created_at"`
	Downloadable bool   `json:"downloadable"`
}
