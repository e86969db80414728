package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
)

func auditPages(t *testing.T, s access.Store) {
	for i := range 7 { // two at each moment
		must(t, s.InsertEntry(t.Context(), access.Entry{
			ID: fmt.Sprintf("aud_%d", i), At: noon.Add(time.Duration(i/2) * time.Second), Workspace: "acme", Action: "a.b", Actor: "usr_1",
		}))
	}
	must(t, s.InsertEntry(t.Context(), access.Entry{ID: "aud_x", At: noon, Workspace: "other", Action: "a.b"}))
	var got strings.Builder
	f := access.Filter{Workspace: "acme", Limit: 3}
	for {
		page, err := s.Entries(t.Context(), f)
		must(t, err)
		if len(page) == 0 {
			break
		}
		for _, e := range page {
			got.WriteString(e.ID[4:])
		}
		last := page[len(page)-1]
		f.Before = access.Cursor{At: last.At, ID: last.ID}
	}
	if got.String() != "6543210" {
		t.Errorf("pages give %s", got.String())
	}
}

func auditFilters(t *testing.T, s access.Store) {
	for i, e := range []access.Entry{
		{Actor: "usr_1", Action: "key.create", Target: "key_1", Detail: "ci"},
		{Actor: "usr_2", Action: "key.create", Target: "key_2", Detail: "cd"},
		{Actor: "usr_1", Action: "key.revoke", Target: "key_1", Detail: "ci"},
		{Actor: "usr_2", Action: "user.role", Target: "usr_1", Detail: "ada"},
	} {
		e.ID, e.At, e.Workspace = fmt.Sprintf("aud_%d", i), noon.Add(time.Duration(i)*time.Hour), "acme"
		must(t, s.InsertEntry(t.Context(), e))
	}
	for want, f := range map[string]access.Filter{
		"3210": {},
		"20":   {Actor: "usr_1"},
		"10":   {Action: "key.create"},
		"2":    {About: "key_1", Action: "key.revoke"},
		"1":    {About: "cd", Actor: "usr_2"},
		"21":   {Since: noon.Add(time.Hour), Until: noon.Add(3 * time.Hour)},
		"0":    {About: "key_1", Before: access.Cursor{At: noon.Add(2 * time.Hour), ID: "aud_2"}},
		"":     {Actor: "usr_3"},
	} {
		f.Workspace, f.Limit = "acme", 10
		entries, err := s.Entries(t.Context(), f)
		must(t, err)
		var got strings.Builder
		for _, e := range entries {
			got.WriteString(e.ID[4:])
		}
		if got.String() != want {
			t.Errorf("%+v gives %s, want %s", f, got.String(), want)
		}
	}
}
