package meter

import "time"

// Missing is a model that clients of a workspace asked for and did not get.
type Missing struct {
	Name        string
	Requests    int64
	First, Last time.Time
}
