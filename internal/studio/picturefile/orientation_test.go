package picturefile_test

import (
	"testing"

	"stele/internal/studio/picturefile"
)

// FuzzOrientation reads what no camera wrote.
func FuzzOrientation(f *testing.F) {
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x22Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00"))
	f.Add([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x02eXIfMM\x00\x00\x00\x00"))
	f.Add([]byte("RIFF\x00\x00\x00\x00WEBPEXIF\x04\x00\x00\x00II*\x00"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if o := picturefile.Orientation(file); o < 1 || o > 8 {
			t.Error(o)
		}
	})
}
