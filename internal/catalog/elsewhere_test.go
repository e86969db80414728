package catalog_test

import (
	"errors"
	"strings"
	"testing"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/fault"
	"stele/internal/media"
)

func TestAModelOfTheOtherSortSaysWhereToAsk(t *testing.T) {
	t.Parallel()
	c := catalog.New()
	if err := c.Replace(catalog.Contents{
		Models: []catalog.Model{{ID: "talker", Targets: []catalog.Target{{Provider: "p", Model: "talker", Weight: 1}}}},
		Media:  []media.Model{{ID: "painter", Provider: "p", MediaType: "image"}},
	}); err != nil {
		t.Fatal(err)
	}
	chats := func(id string, scope access.Scope) error { _, err := c.Model(id, scope); return err }
	makes := func(id string, scope access.Scope) error { _, err := c.OpenMediaModel(id, scope); return err }
	shut := access.Scope{Models: []string{"another"}}
	for name, test := range map[string]struct {
		got  error
		want string
	}{
		"a chat with what paints":             {chats("painter", access.Scope{}), "use POST /api/v1/generations"},
		"a picture of what talks":             {makes("talker", access.Scope{}), "use POST /api/v1/chat/completions"},
		"a chat with what paints, not opened": {chats("painter", shut), "does not exist, or this key does not open it"},
		"a picture of what talks, not opened": {makes("talker", shut), "does not exist, or this key does not open it"},
		"a chat with nothing of this name":    {chats("nobody", access.Scope{}), "does not exist, or this key does not open it"},
		"a picture of nothing of this name":   {makes("nobody", access.Scope{}), "does not exist, or this key does not open it"},
	} {
		var f *fault.Error
		if !errors.As(test.got, &f) || f.Code != fault.ModelNotFound || !strings.Contains(f.Message, test.want) {
			t.Errorf("%s: %v", name, test.got)
		}
	}
}
