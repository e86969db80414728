package media

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"

	"stele/internal/fault"
	"stele/internal/manifest"
)

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := Read("f", src)
		if err != nil {
			if problems, ok := errors.AsType[manifest.Problems](err); !ok || len(problems) == 0 {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		// Whatever was read can be asked for, if only its required fields are given.
		for i := range m.Operations {
			o := &m.Operations[i]
			a := Ask{Prompt: "x", Parameters: make(map[string]any)}
			if !o.Takes("prompt") {
				a.Prompt = ""
			}
			for _, field := range o.Input.Required {
				if field != "prompt" {
					a.Media = append(a.Media, Given{field, "a"})
				}
			}
			values, err := o.Check(&a)
			if err != nil {
				if fault.From(err).Code != fault.MissingParameter {
					t.Fatalf("%s: %v\n%s", o.Mode, err, src)
				}
				continue
			}
			if o.Nano(a.Prompt, values) < 0 {
				t.Fatalf("a negative price\n%s", src)
			}
		}
	})
}

func FuzzCheck(f *testing.F) {
	m := read(f, "clip.yaml")
	for _, body := range []string{
		`{"model":"m","prompt":"x"}`, `[]`, `{"model":"m","start_frame":"a","end_frame":"b","duration":"10s"}`,
		`{"model":"m","prompt":"x","image_urls":["a"],"voice":"anna","n":2.0,"duration":1.5,"video_urls":["b"]}`,
		`{"model":"m","prompt":"x","width":64,"height":128,"seed":9223372036854775807,"strength":0.35,"tags":["a"],"points":[1e1],"title":"t"}`,
		`{"model":"m","mode":"text_to_video","prompt":"x","generate_audio":true,"resolution":"1080p","webhook_url":"https://x","dry_run":true}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := parseBody(body)
		if err != nil {
			told(t, err)
			return
		}
		o, err := m.Infer(&a)
		if err != nil {
			told(t, err)
			return
		}
		values, err := o.Check(&a)
		if err != nil {
			told(t, err)
			return
		}
		if o.Nano(a.Prompt, values) < 0 {
			t.Fatal("a negative price")
		}
		// What was accepted is accepted again, from what was made of it, and is the same.
		fields := maps.Clone(values)
		fields["model"], fields["mode"], fields["prompt"] = "m", o.Mode, a.Prompt
		lists := make(map[string][]string)
		for _, g := range a.Media {
			if Lists(g.Field) {
				lists[g.Field] = append(lists[g.Field], g.URL)
				fields[g.Field] = lists[g.Field]
			} else {
				fields[g.Field] = g.URL
			}
		}
		text, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		b, err := parseBody(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again, err := o.Check(&b)
		if err != nil || !reflect.DeepEqual(again, values) || !reflect.DeepEqual(b.Media, a.Media) {
			t.Fatalf("%s: %v\n got %v\nwant %v", text, err, again, values)
		}
		if got := o.WithTypes(values); !reflect.DeepEqual(got, values) {
			t.Fatalf("typed: %v, want %v", got, values)
		}
	})
}

// told holds that a client gets an error of the contract that can be written as JSON.
func told(t *testing.T, err error) {
	t.Helper()
	e := fault.From(err)
	if e.Code == fault.Internal {
		t.Fatal(err)
	}
	if _, err := json.Marshal(e.Details); err != nil {
		t.Fatal(err)
	}
}
