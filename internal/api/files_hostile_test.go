package api

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stele/internal/fault"
)

// hostile is an upload that must be refused, and how.
type hostile struct {
	name   string
	upload upload
	status int
	code   string
}

// anArchive is a ZIP file as far as those who look for one go.
const anArchive = "PK\x03\x04\x14\x00\x00\x00\x00\x00" + "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" +
	"PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00\x2e\x00\x00\x00\x28\x00\x00\x00\x00\x00"

// hostiles makes the list: what is no media, and every real file cut off, with an
// archive behind it, with a page behind it.
func hostiles(t *testing.T) (list []hostile) {
	t.Helper()
	add := func(name string, status int, code string, u upload) {
		list = append(list, hostile{name, u, status, code})
	}
	wrong := func(name, body string) {
		add(name, 415, "unsupported_file_type", upload{name: "picture.png", body: []byte(body)})
	}
	samples, err := os.ReadDir(filepath.Join("..", "file", "testdata", "real"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		body := sample(t, s.Name())
		if !slices.Contains(strings.Fields("a.mp3 bare.mp3 a.aac a.flac live.wav live.webm a.ogv opus.ogg vorbis.ogg fragments.mp4"), s.Name()) {
			wrong(s.Name()+" cut off", string(body[:len(body)/2]))
		}
		wrong(s.Name()+" cut off in its head", string(body[:24]))
		wrong(s.Name()+" and an archive", string(body)+anArchive)
		if s.Name() != "live.wav" && s.Name() != "a.flac" {
			wrong(s.Name()+" and a page", string(body)+"<html><script>alert(1)</script></html>")
		}
	}
	for name, body := range map[string]string{
		"nothing": "", "a null byte": "\x00", "a program for Windows": "MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff\x00\x00",
		"a program": "\x7fELF\x02\x01\x01\x00\x00\x00", "an archive": anArchive, "a packed archive": "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
		"a page": "<!doctype html><html><script>alert(1)</script></html>", "a script": "#!/bin/sh\nrm -rf /\n", "PHP": "<?php system($_GET['c']); ?>",
		"text": "just words\n", "JSON": `{"a": 1}`, "a PDF": "%PDF-1.4\n1 0 obj\n%%EOF\n", "noise": "\x8f\x12\xfe\x99\x03\xab\x00\x11\x80\xc2\xd4\x71",
		"WebAssembly": "\x00asm\x01\x00\x00\x00", "Java": "\xca\xfe\xba\xbe\x00\x00\x00\x34", "a database": "SQLite format 3\x00\x10\x00\x01\x01\x00",
		"UTF-16": "\xff\xfeh\x00i\x00", "a shortcut": "L\x00\x00\x00\x01\x14\x02\x00", "XML": "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
		"SVG with entities": `<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg>&a;</svg>`, "SVG that never ends": "<svg><g>", "SVG after SVG": "<svg/><svg/>",
		"a PNG with a page in it": "\x89PNG\r\n\x1a\n<html>", "a GIF that is a script": "GIF89a\x01\x00\x01\x00\x00\x00\x00=1;alert(1)", "a film of nothing": "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2",
		"a film with endless boxes": "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2\x00\x00\x00\x01moov\xff\xff\xff\xff\xff\xff\xff\xff",
		"a WAV of nothing":          "RIFF\x24\x00\x00\x00WAVE", "an Ogg of nothing": "OggS\x00\x02", "EBML of nothing": "\x1a\x45\xdf\xa3\x87\x42\x82\x84webm",
	} {
		wrong(name, body)
	}
	big := func(name string, body []byte) { add(name, 413, "file_too_large", upload{name: "bomb", body: body}) }
	bomb := bytes.Clone(sample(t, "a.png"))
	copy(bomb[16:], "\x00\x01\x00\x00\x00\x01\x00\x00")
	big("a PNG bomb", bomb)
	bomb = bytes.Clone(sample(t, "a.gif"))
	copy(bomb[6:], "\xff\xff\xff\xff")
	big("a GIF bomb", bomb)
	bomb = bytes.Clone(sample(t, "a.jpg"))
	copy(bomb[bytes.Index(bomb, []byte("\xff\xc0"))+5:], "\xff\xff\xff\xff")
	big("a JPEG bomb", bomb)
	big("an SVG bomb", []byte(`<svg width="99999999" height="99999999"/>`))
	big("too large", append(sample(t, "a.jpg"), make([]byte, small)...))
	big("too large and damaged", append(sample(t, "a.wav"), make([]byte, small)...))
	picture := sample(t, "a.png")
	add("a picture called a film", 415, "unsupported_file_type", upload{name: "a", body: picture, after: map[string]string{"file_type": "video"}})
	add("a kind that is none", 422, "invalid_parameter", upload{name: "a", body: picture, fields: map[string]string{"file_type": "document"}})
	add("a model that is none", 404, "model_not_found", upload{name: "a", body: picture, after: map[string]string{"model": "acme/none"}})
	add("a mode that is none", 422, "mode_not_supported", upload{name: "a", body: picture, after: map[string]string{"model": "acme/draw", "mode": "video_edit"}})
	add("a mode without a model", 422, "missing_parameter", upload{name: "a", body: picture, after: map[string]string{"mode": "video_edit"}})
	add("a mode that takes no files", 415, "unsupported_file_format", upload{name: "a", body: picture, after: map[string]string{"model": "acme/draw", "mode": "text_to_image"}})
	add("a format the mode does not take", 415, "unsupported_file_format", upload{name: "a", body: sample(t, "a.gif"), fields: map[string]string{"model": "acme/draw", "mode": "image_to_image"}})
	add("a film for a mode of pictures", 415, "unsupported_file_format", upload{name: "a", body: sample(t, "film.mp4"), fields: map[string]string{"model": "acme/draw"}})
	large := append(sample(t, "a.jpg"), make([]byte, 3000)...)
	add("too large for the mode", 413, "file_too_large", upload{name: "a", body: large, fields: map[string]string{"model": "acme/draw", "mode": "image_to_image"}})
	add("a field that is too long", 400, "invalid_request_body", upload{name: "a", body: picture, after: map[string]string{"model": strings.Repeat("x", 5000)}})
	add("an archive from an OpenAI client", 415, "unsupported_file_type", upload{name: "a", body: []byte(anArchive), after: map[string]string{"purpose": "assistants"}})
	add("a PDF that never ends", 415, "unsupported_file_type", upload{name: "a", body: []byte("%PDF-1.4\n"), fields: map[string]string{"purpose": "assistants"}})
	add("text with a null byte", 415, "unsupported_file_type", upload{name: "a", body: []byte(strings.Repeat("words ", 2000) + "\x00"), fields: map[string]string{"purpose": "x"}})
	return list
}

func TestHostileUploadsAreRefusedAndLeaveNothing(t *testing.T) {
	t.Parallel()
	b := newFilesBench(t)
	list := hostiles(t)
	if len(list) < 100 {
		t.Fatal(len(list))
	}
	for _, h := range list {
		got := b.put(t, h.upload)
		if got.status != h.status || !strings.Contains(got.body, `"code":"`+h.code+`"`) {
			t.Errorf("%s: %d %s", h.name, got.status, got.body)
		}
		if traces := b.left(t); len(traces) > 0 {
			t.Fatalf("%s left behind: %v", h.name, traces)
		}
	}
	t.Log(len(list), "hostile uploads")
}

// TestBrokenFormsAreRefusedAndLeaveNothing breaks the form around a good picture.
func TestBrokenFormsAreRefusedAndLeaveNothing(t *testing.T) {
	t.Parallel()
	b := newFilesBench(t)
	picture := string(sample(t, "a.png"))
	const head = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n"
	whole := head + picture + "\r\n--x--\r\n"
	kind := "multipart/form-data; boundary=x"
	for _, test := range []struct {
		name, kind, body string
		status           int
		code             string
	}{
		{"no form", "application/octet-stream", picture, 415, "unsupported_content_type"},
		{"no type", "", whole, 415, "unsupported_content_type"},
		{"JSON", "application/json", "{}", 415, "unsupported_content_type"},
		{"a simple form", "application/x-www-form-urlencoded", "file=a", 415, "unsupported_content_type"},
		{"no boundary", "multipart/form-data", whole, 415, "unsupported_content_type"},
		{"another sort of form", "multipart/mixed; boundary=x", whole, 415, "unsupported_content_type"},
		{"another boundary", "multipart/form-data; boundary=y", whole, 400, "invalid_request_body"},
		{"an empty body", kind, "", 400, "invalid_request_body"},
		{"an empty form", kind, "--x--\r\n", 400, "missing_file"},
		{"no file in it", kind, "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a\"\r\n\r\n" + picture + "\r\n--x--\r\n", 400, "missing_file"},
		{"two files", kind, head + picture + "\r\n" + whole, 400, "invalid_request_body"},
		{"cut off in the file", kind, whole[:len(head)+100], 400, "invalid_request_body"},
		{"cut off after the file", kind, head + picture + "\r\n--x\r\n", 400, "invalid_request_body"},
		{"cut off before the end", kind, head + picture + "\r\n--x", 400, "invalid_request_body"},
		{"cut off in a head", kind, "--x\r\nContent-Disposition: form-da", 400, "invalid_request_body"},
		{"a broken head", kind, "--x\r\n\x00\x01\r\n\r\n" + picture + "\r\n--x--\r\n", 400, "invalid_request_body"},
		{"too many parts", kind, strings.Repeat("--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n", 300) + whole, 400, "invalid_request_body"},
		{"a file in a field", kind, "--x\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\n" + strings.Repeat("x", 9999) + "\r\n" + whole, 400, "invalid_request_body"},
	} {
		for _, chunked := range []bool{false, true} {
			var body io.Reader = strings.NewReader(test.body)
			if chunked {
				body = endless{body}
			}
			got := b.send(t, body, test.kind, nil)
			if got.status != test.status || !strings.Contains(got.body, `"code":"`+test.code+`"`) {
				t.Errorf("%s: %d %s", test.name, got.status, got.body)
			}
			if traces := b.left(t); len(traces) > 0 {
				t.Fatalf("%s left behind: %v", test.name, traces)
			}
		}
	}
}

// TestEndlessAndStalledUploadsEnd plays clients that never come to an end.
func TestEndlessAndStalledUploadsEnd(t *testing.T) {
	t.Parallel()
	b := newFilesBench(t)
	b.stall.Store(int64(300 * time.Millisecond))
	head := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.jpg\"\r\n\r\n" + string(sample(t, "a.jpg"))
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", b.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
		fmt.Fprintf(conn, "POST /api/v1/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: multipart/form-data; boundary=x\r\nTransfer-Encoding: chunked\r\n\r\n", b.key)
		return conn
	}
	chunk := func(conn net.Conn, text string) error {
		_, err := fmt.Fprintf(conn, "%x\r\n%s\r\n", len(text), text)
		return err
	}
	answer := func(conn net.Conn) string {
		text, _ := io.ReadAll(conn)
		return string(text)
	}

	conn := dial() // stalled: it says nothing more
	_ = chunk(conn, head)
	if got := answer(conn); !strings.HasPrefix(got, "HTTP/1.1 408") || !strings.Contains(got, "too slowly") {
		t.Error("stalled:", got)
	}
	b.stall.Store(0)
	conn = dial() // gone in the middle
	_ = chunk(conn, head)
	conn.Close()

	conn = dial() // endless: it never stops
	go func() {
		err := chunk(conn, head)
		for block := strings.Repeat("\x00", 32<<10); err == nil; {
			err = chunk(conn, block)
		}
	}()
	if got := answer(conn); !strings.HasPrefix(got, "HTTP/1.1 413") || !strings.Contains(got, `"file_too_large"`) {
		t.Error("endless:", got)
	}
	for deadline := time.Now().Add(time.Minute); ; { // a client that left is noticed a little later
		traces := b.left(t)
		if len(traces) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("left behind:", traces)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func FuzzForm(f *testing.F) {
	f.Add("x", "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nbody\r\n--x--\r\n")
	f.Add("x", "--x\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nm\r\n--x--")
	f.Add("--", "----\r\n")
	f.Fuzz(func(t *testing.T, boundary, body string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", mime.FormatMediaType("multipart/form-data", map[string]string{"boundary": boundary}))
		form, err := openForm(r)
		for err == nil {
			var part *multipart.Part
			if part, err = form.next(); part == nil {
				break
			}
			if err == nil {
				_, err = io.Copy(io.Discard, &formBody{part})
			}
		}
		if err != nil && fault.From(err).Code == fault.Internal {
			t.Error(err)
		}
		if err == nil && !strings.Contains(body, "--"+boundary+"--") {
			t.Error("a form without an end was read to its end")
		}
	})
}
