package bridge_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/bridge"
	"stele/internal/uid"
)

func response(id, previous string) *bridge.Response {
	item := func(kind string) [][]byte { return [][]byte{fmt.Appendf(nil, `{"id":"%s_of_%s"}`, kind, id)} }
	return &bridge.Response{ID: id, Previous: previous, Input: item("in"), Output: item("out"), Body: []byte(`{"id":"` + id + `"}`)}
}

func texts(items [][]byte) (list []string) {
	for _, item := range items {
		list = append(list, string(item))
	}
	return list
}

func TestHistoryIsInOrder(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"", t.TempDir()} {
		first, second := uid.New("resp"), uid.New("resp")
		kept, err := bridge.NewKept(1<<20, folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*bridge.Response{response(first, ""), response(second, first)} {
			if err := kept.Put(r); err != nil {
				t.Fatal(err)
			}
		}
		check := func(kept *bridge.Kept) {
			t.Helper()
			items, ok := kept.History(second)
			want := append(texts(response(first, "").Input), texts(response(first, "").Output)...)
			want = append(append(want, texts(response(second, "").Input)...), texts(response(second, "").Output)...)
			if !ok || !slices.Equal(texts(items), want) {
				t.Errorf("%v %q, want %q", ok, items, want)
			}
			if item, ok := kept.Item("out_of_" + first); !ok || !strings.Contains(string(item), first) {
				t.Errorf("%v %s", ok, item)
			}
		}
		check(kept)
		if folder != "" {
			again, err := bridge.NewKept(1<<20, folder)
			if err != nil {
				t.Fatal(err)
			}
			check(again)
			kept = again
		}
		if !kept.Delete(first) || kept.Delete(first) {
			t.Error("a response is not deleted once")
		}
		if _, ok := kept.History(second); ok {
			t.Error("a conversation goes on without its beginning")
		}
		if _, err := os.Stat(filepath.Join(folder, first+".json")); folder != "" && !os.IsNotExist(err) {
			t.Errorf("the file of a deleted response: %v", err)
		}
	}
}

// TestOldResponsesMakeRoom has a conversation in use outlive others that are newer than
// its beginning.
func TestOldResponsesMakeRoom(t *testing.T) {
	t.Parallel()
	const room = 20
	kept, err := bridge.NewKept(room*len(fmt.Sprint(response(uid.New("resp"), "")))*4, "")
	if err != nil {
		t.Fatal(err)
	}
	first := uid.New("resp")
	if err := kept.Put(response(first, "")); err != nil {
		t.Fatal(err)
	}
	last, second := first, ""
	for range 100 {
		other := uid.New("resp")
		if err := kept.Put(response(other, "")); err != nil {
			t.Fatal(err)
		}
		if second == "" {
			second = other
		}
		if _, ok := kept.History(last); !ok {
			t.Fatal("a conversation in use was given up")
		}
	}
	if _, ok := kept.Get(second); ok {
		t.Error("nothing was given up")
	}
	if _, ok := kept.Item("out_of_" + second); ok {
		t.Error("an item of what was given up is still there")
	}
}

func TestAFolderIsNotLeft(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret.json"), []byte(`{"response":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	kept, err := bridge.NewKept(1<<20, filepath.Join(outside, "kept"))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"../secret", "..%2fsecret", "", "resp_"} {
		if _, ok := kept.Get(id); ok {
			t.Errorf("%q is found", id)
		}
	}
}

func TestDamagedFilesAreNotResponses(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, text := range []string{"", "{", "{}", `{"response":1}`} {
		id := uid.New("resp")
		if err := os.WriteFile(filepath.Join(folder, id+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		kept, err := bridge.NewKept(1<<20, folder)
		if err != nil {
			t.Fatal(err)
		}
		if r, ok := kept.Get(id); ok {
			t.Errorf("%q is %+v", text, r)
		}
	}
}

// TestAConversationIsReadAgain keeps a conversation and a response of it in a folder, and
// looks for what was before that response: without what was said since or deleted.
func TestAConversationIsReadAgain(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	kept, err := bridge.NewKept(1<<20, folder)
	if err != nil {
		t.Fatal(err)
	}
	thread, id := uid.New("conv"), uid.New("resp")
	r := response(id, "")
	r.Thread, r.Before = thread, []string{"a", "b"}
	for _, put := range []*bridge.Response{{ID: thread, Output: [][]byte{[]byte(`{"id":"a"}`), []byte(`{"id":"b"}`)}, Body: []byte(`{}`)}, r} {
		if err := kept.Put(put); err != nil {
			t.Fatal(err)
		}
	}
	if err := kept.Append(thread, [][]byte{[]byte(`{"id":"c"}`)}); err != nil {
		t.Fatal(err)
	}
	_, err = kept.Change(thread, func(r *bridge.Response) bool {
		r.Output = r.Output[1:]
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	again, err := bridge.NewKept(1<<20, folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range []*bridge.Kept{kept, again} {
		items, ok := kept.History(id)
		if want := append(append([]string{`{"id":"b"}`}, texts(r.Input)...), texts(r.Output)...); !ok || !slices.Equal(texts(items), want) {
			t.Errorf("%v %q, want %q", ok, items, want)
		}
	}
	again.Delete(thread)
	if _, ok := again.History(id); ok {
		t.Error("a response goes on without its conversation")
	}
}

// TestAPictureIsNamedByItsID has a client send of a picture that the model made what OpenAI's guide to
// pictures has it send: the id of its item and nothing else.
func TestAPictureIsNamedByItsID(t *testing.T) {
	t.Parallel()
	s := newServer(t, chunks("stop", `"images":[{"type":"image_url","image_url":{"url":"data:image/webp;base64,AAAA"}}]`))
	at := newBridge(t, s).URL + "/v1/responses"
	_, _, made := post(t, at, `{"model":"m","input":"draw"}`)
	id := gjson.Get(made, "output.0.id").Str
	_, header, _ := post(t, at, `{"model":"m","store":false,"input":[{"role":"user","content":"draw"},{"type":"image_generation_call","id":"`+id+`"},{"role":"user","content":"on"}]}`)
	if got := gjson.GetBytes(s.last(), "messages.1.images.0.image_url.url").Str; got != "data:image/webp;base64,AAAA" || header.Get("X-Stele-Dropped") != "" {
		t.Errorf("%q %s", id, s.last())
	}
}
