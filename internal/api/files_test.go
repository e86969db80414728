package api

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"
)

func TestAnUploadIsKeptWholeAndDescribed(t *testing.T) {
	t.Parallel()
	b := newFilesBench(t)
	body := sample(t, "a.png")
	sum := sha256.Sum256(body)
	got := fileOf(t, b.put(t, upload{name: "source.png", body: body, fields: map[string]string{"file_type": "image", "nonsense": "x"}}))
	if got.FileType != "image" || got.ContentType != "image/png" || got.Size != int64(len(body)) || got.Filename != "source.png" ||
		got.SHA256 != hex.EncodeToString(sum[:]) || got.Object != "file" || got.Provider != "local" || got.Width != 64 || got.Height != 48 {
		t.Errorf("%+v", got)
	}
	if !strings.HasPrefix(got.URL, "https://stele.example.com/base/files/"+got.ID+"/source.png?exp=") || !strings.HasPrefix(got.Key, "default/") {
		t.Errorf("%+v", got)
	}
	created, err := time.Parse(time.RFC3339, got.CreatedAt)
	expires, err2 := time.Parse(time.RFC3339, got.ExpiresAt)
	if err != nil || err2 != nil || expires.Sub(created) != 24*time.Hour {
		t.Error(got.CreatedAt, got.ExpiresAt)
	}
	f, err := b.files.File(t.Context(), "default", got.ID)
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.files.Open(t.Context(), f, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if kept, err := io.ReadAll(r); err != nil || string(kept) != string(body) {
		t.Error("other bytes were kept", err)
	}
}

func TestPartsMayComeInAnyOrder(t *testing.T) {
	t.Parallel()
	b := newFilesBench(t)
	fields := map[string]string{"file_type": "image", "model": "acme/draw", "mode": "image_to_image", "other": strings.Repeat("x", 9999)}
	for _, u := range []upload{{fields: fields}, {after: fields}} {
		u.name, u.body = "a.jpg", sample(t, "a.jpg")
		if got := b.put(t, u); got.status != 201 {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
}

// Clients write boundaries, and what stands around them, in many ways.
func TestBoundariesMayBeOdd(t *testing.T) {
	t.Parallel()
	b := newFilesBench(t)
	for kind, boundary := range map[string]string{
		"multipart/form-data; boundary================123==":                 "===============123==",
		"multipart/form-data; charset=utf-8; Boundary = a b/c:d(e)?; x=y":    "a b/c:d(e)?",
		`Multipart/Form-Data; boundary="a b'()+_,-./:=?c"`:                   "a b'()+_,-./:=?c",
		`multipart/form-data; boundary="----odd:one`:                         "----odd:one",
		"multipart/form-data; boundary=" + strings.Repeat("b", 70) + ";":     strings.Repeat("b", 70),
		"multipart/form-data;boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW": "----WebKitFormBoundary7MA4YWxkTrZu0gW",
	} {
		body := "before\r\n--" + boundary + "  \r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n" +
			string(sample(t, "a.png")) + "\r\n--" + boundary + "--\r\nafter"
		if got := b.send(t, strings.NewReader(body), kind, nil); got.status != 201 {
			t.Errorf("%s: %d %s", kind, got.status, got.body)
		}
	}
}

func TestTheBytesDecideNotTheName(t *testing.T) {
	t.Parallel()
	b := newFilesBench(t)
	for name, want := range map[string]string{
		"film.mp4": "video/mp4", "a.m4a": "audio/mp4", "a.webm": "video/webm", "opus.ogg": "audio/ogg", "a.heic": "image/heic", "a.mp3": "audio/mpeg",
	} {
		got := fileOf(t, b.put(t, upload{name: "called.png", body: sample(t, name)}))
		if got.ContentType != want || !strings.HasPrefix(want, got.FileType) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestNamesCannotEscape(t *testing.T) {
	t.Parallel()
	b := newFilesBench(t)
	for name, want := range map[string]string{
		"../../etc/passwd": "passwd", `C:\Windows\system32\evil.png`: "evil.png", "..": "file", ".": "file", "": "file", "/": "file",
		"a\x00b.png": "ab.png", "a\r\nSet-Cookie: x.png": "aSet-Cookie_ x.png", "\u202egnp.exe": "gnp.exe", `"><script>.png`: "script_.png",
		".htaccess": "htaccess", "CON": "CON", "näme ☃.png": "näme ☃.png", strings.Repeat("x", 500) + ".png": strings.Repeat("x", 116) + ".png",
	} {
		a := b.put(t, upload{name: name, body: sample(t, "a.png")})
		if a.status == 400 { // a name that no form can carry
			continue
		}
		got := fileOf(t, a)
		if got.Filename != want && !strings.HasSuffix(got.Filename, want) || strings.ContainsAny(got.Filename, "/\\\"<>\r\n\x00") || len(got.Filename) > 120 {
			t.Errorf("%q became %q, not %q", name, got.Filename, want)
		}
		if strings.Contains(got.Key, "..") || !strings.HasSuffix(got.Key, got.ID+".png") {
			t.Error(got.Key)
		}
	}
}

func TestOpenAIsClientsGetTheirOwnFile(t *testing.T) {
	t.Parallel()
	b := newFilesBench(t)
	got := b.put(t, upload{name: "report.txt", body: []byte("some words\n"), fields: map[string]string{"purpose": "user_data"}})
	var f wireOpenAIFile
	if err := json.Unmarshal([]byte(got.body), &f); err != nil || got.status != 200 {
		t.Fatal(got.status, got.body, err)
	}
	if !strings.HasPrefix(f.ID, "file_") || f.Object != "file" || f.Bytes != 11 || f.Purpose != "user_data" || f.Filename != "report.txt" || f.Status != "processed" ||
		time.Since(time.Unix(f.CreatedAt, 0)) > time.Minute {
		t.Errorf("%+v", f)
	}
}

func TestAnthropicsClientsGetTheirOwnFile(t *testing.T) {
	t.Parallel()
	b := newFilesBench(t)
	header := map[string]string{"anthropic-version": "2023-06-01", "anthropic-beta": "files-api-2025-04-14"}
	got := b.put(t, upload{name: "report.pdf", body: []byte("%PDF-1.4\n1 0 obj\n%%EOF\n"), header: header})
	var f wireAnthropicFile
	if err := json.Unmarshal([]byte(got.body), &f); err != nil || got.status != 200 {
		t.Fatal(got.status, got.body, err)
	}
	if f.Type != "file" || f.MIMEType != "application/pdf" || f.SizeBytes != 23 || f.Filename != "report.pdf" || got.header.Get("Request-Id") != "" {
		t.Errorf("%+v %v", f, got.header)
	}
	got = b.put(t, upload{name: "x", body: []byte("\x00"), header: header})
	if got.status != 400 && got.status != 415 || !strings.Contains(got.body, `"type":"error"`) {
		t.Error(got.status, got.body)
	}
}

func TestFilesAreForgottenOnTimeAndNotBefore(t *testing.T) {
	t.Parallel()
	b := newFilesBench(t)
	first := fileOf(t, b.put(t, upload{name: "a.png", body: sample(t, "a.png")}))
	start := b.now
	b.now = start.Add(time.Hour)
	second := fileOf(t, b.put(t, upload{name: "b.png", body: sample(t, "a.png")}))
	for _, step := range []struct {
		at   time.Duration
		gone int
		left int // rows and blobs
	}{{24*time.Hour - time.Second, 0, 4}, {24*time.Hour + time.Second, 1, 2}, {25*time.Hour - time.Second, 0, 2}, {25*time.Hour + time.Second, 1, 0}} {
		b.now = start.Add(step.at)
		n, err := b.files.Sweep(t.Context())
		if err != nil || n != step.gone || len(b.left(t)) != step.left {
			t.Fatalf("after %s: %d gone, %v, %v", step.at, n, err, b.left(t))
		}
	}
	for _, id := range []string{first.ID, second.ID} {
		if _, err := b.files.File(t.Context(), "default", id); err == nil || !strings.Contains(err.Error(), "file_not_found") {
			t.Error(err)
		}
	}
}
