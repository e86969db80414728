package generation

import "stele/internal/share"

// expected is what the outputs of an order take on disk, about, by media type.
var expected = map[string]int64{"image": 4 << 20, "audio": 8 << 20, "video": 32 << 20}

// ExpectedBytes is what an order of a media type will have made, about.
func ExpectedBytes(mediaType string) int64 { return expected[mediaType] }

// orderSize is what an order takes on disk: its row, and what is made of it. One that is only
// tried out takes nothing.
func orderSize(t *Task, dry bool) share.Held {
	if dry {
		return share.Held{}
	}
	return share.Held{Files: ExpectedBytes(t.MediaType), Rows: int64(len(t.Order.Prompt) + len(t.Order.Recipe))}
}
