package generation

import "stele/internal/access"

// Progressing is a word for Wanted.Status: whatever has not ended.
const Progressing = "running"

// The words for Wanted.From.
const (
	FromPeople = "console" // ordered by a person
	FromKeys   = "keys"    // ordered with an API key
	FromApps   = "apps"    // runs of apps
)

// Wanted says which tasks a list shows. What is empty narrows nothing.
type Wanted struct {
	Workspace string
	MediaType string
	Model     string
	App       string
	Status    string        // Progressing, success, or failed, which canceled ones are as well
	From      string        // see above
	Parts     bool          // those as well that are parts of others
	Before    access.Cursor // only what stands after this place in the list
	After     access.Cursor // only what stands before it: then the nearest come, and still the newest first
	Limit     int
}

// Cursor is where the task stands in a list.
func (t *Task) Cursor() access.Cursor { return access.Cursor{At: t.Created, ID: t.ID} }
