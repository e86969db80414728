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
}

type wireApp struct {
	ID              string          `json:"id"`
	Slug            string          `json:"slug"` // the same again: clients read one or the other
	Name            string          `json:"name"`
	Description     string          `json:"description,omitempty"`
	MediaType       string          `json:"media_type"`
	InputParameters []wireParameter `json:"input_parameters"`
}
