package sandbox

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"stele/internal/chat"
)

func pictureOf(t *testing.T, encode func(*bytes.Buffer, image.Image) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b, image.NewPaletted(image.Rect(0, 0, 40, 30), color.Palette{color.Black, color.White})); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDescribesWhatItWasGiven(t *testing.T) {
	t.Parallel()
	pngBytes := pictureOf(t, func(b *bytes.Buffer, m image.Image) error { return png.Encode(b, m) })
	jpegBytes := pictureOf(t, func(b *bytes.Buffer, m image.Image) error { return jpeg.Encode(b, m, nil) })
	gifBytes := pictureOf(t, func(b *bytes.Buffer, m image.Image) error { return gif.Encode(b, m, nil) })
	lossy := "RIFF\x00\x00\x00\x00WEBPVP8 \x00\x00\x00\x00\x30\x01\x00\x9d\x01\x2a\x28\x00\x1e\x00"
	lossless := "RIFF\x00\x00\x00\x00WEBPVP8L\x00\x00\x00\x00\x2f\x27\x40\x07\x00\x00\x00\x00\x00\x00"
	extended := "RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x27\x00\x00\x1d\x00\x00" + lossy[12:]
	pdf := "%PDF-1.4\n1 0 obj <</Type /Pages /Count 2>> endobj\n2 0 obj <</Type /Page>> endobj 3 0 obj <</Type/Page/Parent 1 0 R>>"
	for name, c := range map[string]struct {
		kind  chat.Kind
		media *chat.Media
		want  string
	}{
		"png":               {chat.Image, raw(pngBytes, "image/png"), "image/png, 40×30 pixels, " + bytesOf(pngBytes)},
		"jpeg":              {chat.Image, raw(jpegBytes, "image/jpg"), "image/jpeg, 40×30 pixels, " + bytesOf(jpegBytes)},
		"gif, mislabelled":  {chat.Image, raw(gifBytes, "image/png"), "image/gif, 40×30 pixels, " + bytesOf(gifBytes)},
		"webp, lossy":       {chat.Image, raw(lossy, ""), "image/webp, 40×30 pixels, 30 bytes"},
		"webp, lossless":    {chat.Image, raw(lossless, ""), "image/webp, 40×30 pixels, 30 bytes"},
		"webp, extended":    {chat.Image, raw(extended, ""), "image/webp, 40×30 pixels, 48 bytes"},
		"webp, unknown":     {chat.Image, raw("RIFF\x00\x00\x00\x00WEBPXXXX"+strings.Repeat("x", 20), ""), "image/webp, 36 bytes"},
		"cut png":           {chat.Image, raw(pngBytes[:20], "image/png"), "image/png, 20 bytes"},
		"no picture":        {chat.Image, raw("hello", ""), "of unknown type, 5 bytes"},
		"bad base64":        {chat.Image, &chat.Media{Type: "image/png", Base64: "!!!!"}, "image/png, 3 bytes"},
		"url":               {chat.Image, &chat.Media{URL: "https://example.com/ü.png?a=b"}, "at https://example.com/ü.png?a=b"},
		"file":              {chat.Document, &chat.Media{FileID: "file_1"}, "the file file_1"},
		"pdf":               {chat.Document, raw(pdf, "application/pdf", "a.pdf"), "a.pdf, application/pdf, 2 pages, " + bytesOf(pdf)},
		"packed pdf":        {chat.Document, raw("%PDF-1.7 packed", "application/pdf"), "application/pdf, 15 bytes"},
		"text":              {chat.Document, &chat.Media{Type: "text/plain", Plain: "Title\nof a  document"}, "text, 4 words beginning “Title”, 20 bytes"},
		"text in base64":    {chat.Document, raw("Grüße\nan alle", "text/markdown"), "text/markdown, 3 words beginning “Grüße”, 15 bytes"},
		"bad text":          {chat.Document, raw("a\xffb c", "text/plain"), "text/plain, 2 words beginning “a\uFFFDb c”, 5 bytes"},
		"sound":             {chat.Audio, raw("RIFF\x00\x00\x00\x00WAVEfmt ", "audio/x"), "audio/wav, 16 bytes"},
		"clip":              {chat.Video, raw("\x00\x00\x00\x18ftypmp42", ""), "video/mp4, 12 bytes"},
		"document of parts": {chat.Document, nil, "text, 2 words beginning “Two words”"},
	} {
		p := chat.Part{Kind: c.kind, Media: c.media, Content: []chat.Part{{Kind: chat.Text, Text: "Two words"}}}
		if got := describe(&p); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if got := said(t, user("Look", p)); !strings.Contains(got, "You gave me 1 ") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	got := said(t, user("", image1(raw(pngBytes, "")), chat.Part{Kind: chat.Document, Media: &chat.Media{URL: "https://example.com/b"}}, image1(&chat.Media{URL: "https://example.com/c"})))
	want := "You sent no words. You gave me 2 images (image/png, 40×30 pixels, " + bytesOf(pngBytes) + "; at https://example.com/c) and 1 document (at https://example.com/b)."
	if !strings.HasPrefix(got, want) {
		t.Errorf("%q", got)
	}
}

func image1(m *chat.Media) chat.Part { return chat.Part{Kind: chat.Image, Media: m} }

func raw(body, mime string, name ...string) *chat.Media {
	return &chat.Media{Type: mime, Base64: base64.StdEncoding.EncodeToString([]byte(body)), Name: strings.Join(name, "")}
}

func bytesOf(body string) string { return plural(int64(len(body)), "byte") }

func FuzzDescribe(f *testing.F) {
	f.Add("image/webp", []byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x27\x00\x00\x1d\x00\x00"))
	f.Add("application/pdf", []byte("%PDF-1.4 /Type /Page"))
	f.Add("image/gif", []byte("GIF89a"))
	f.Fuzz(func(t *testing.T, mime string, body []byte) {
		for _, kind := range []chat.Kind{chat.Image, chat.Document} {
			p := chat.Part{Kind: kind, Media: raw(string(body), mime)}
			if describe(&p) == "" || weigh(&p) < 0 {
				t.Fatal("nothing")
			}
		}
	})
}
