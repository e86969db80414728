package catalog_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/fault"
	"stele/internal/seal"
)

// reaching is offers whose address is a field.
func reaching(s *shelf, master *seal.Master, taken *[]catalog.UnsealedRecord) *catalog.Records {
	return catalog.NewRecords(catalog.RecordsOptions{
		Store: s, Box: master.Box("test"), Try: faulty, Now: time.Now,
		Reach: func(o catalog.StoredRecord) string {
			var fields struct{ At string }
			_ = json.Unmarshal(o.Fields, &fields)
			return fields.At
		},
		Take: func(list []catalog.UnsealedRecord) error { *taken = list; return nil },
	})
}

func at(address string, secrets map[string]string) catalog.Draft {
	return catalog.Draft{
		Sort: catalog.ProviderRecord, ID: "a", Enabled: true, Fields: []byte(`{"at":"` + address + `"}`), Secrets: secrets,
	}
}

func TestSecretsStayWithTheAddressTheyWereEnteredFor(t *testing.T) {
	t.Parallel()
	both := map[string]string{"api_key": "one", "options.token": "two"}
	for name, test := range map[string]struct {
		change  catalog.Draft
		refused []string
	}{
		"another address":          {at("elsewhere", nil), []string{"api_key", "options.token"}},
		"one secret again":         {at("elsewhere", map[string]string{"api_key": "new"}), []string{"options.token"}},
		"both again":               {at("elsewhere", map[string]string{"api_key": "new", "options.token": "new"}), nil},
		"the same address":         {at("here", nil), nil},
		"one again, one forgotten": {catalog.Draft{Sort: catalog.ProviderRecord, ID: "a", Fields: []byte(`{"at":"elsewhere"}`), Secrets: map[string]string{"api_key": "new"}, Forget: []string{"options.token"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s shelf
			var taken []catalog.UnsealedRecord
			o := reaching(&s, seal.New(), &taken)
			if err := o.Save(t.Context(), somebody, at("here", both)); err != nil {
				t.Fatal(err)
			}
			test.change.Revision = 1
			err := o.Save(t.Context(), somebody, test.change)
			var refused []string
			if wrong, ok := errors.AsType[*catalog.WrongRecord](err); ok {
				refused = slices.Sorted(maps.Keys(wrong.Fields))
			}
			if !slices.Equal(refused, test.refused) || len(test.refused) == 0 && err != nil {
				t.Errorf("refused for %v (%v), want %v", refused, err, test.refused)
			}
			if len(test.refused) > 0 && (len(s.entries) != 1 || taken[0].Secrets["api_key"] != "one" || !strings.Contains(string(taken[0].Fields), "here")) {
				t.Errorf("something changed: %+v", taken)
			}
		})
	}
}

// Not even a change of the row itself takes a secret elsewhere.
func TestASealedSecretOpensForItsAddressOnly(t *testing.T) {
	t.Parallel()
	var s shelf
	var taken []catalog.UnsealedRecord
	master := seal.New()
	if err := reaching(&s, master, &taken).Save(t.Context(), somebody, at("here", map[string]string{"api_key": "one"})); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(o *catalog.StoredRecord){
		"another address": func(o *catalog.StoredRecord) { o.Fields = []byte(`{"at":"elsewhere"}`) },
		"another name":    func(o *catalog.StoredRecord) { o.ID = "b" },
	} {
		row := s.list[0]
		change(&row)
		moved := shelf{list: []catalog.StoredRecord{row}, revision: 1}
		if err := reaching(&moved, master, &taken).Load(t.Context()); err != nil || !taken[0].Moved || len(taken[0].Secrets) > 0 {
			t.Errorf("%s: %+v, %v", name, taken, err)
		}
	}
}

// What an older version sealed for no address in particular is tied to the one it has.
func TestSecretsOfAnOlderVersionAreTiedToTheirAddress(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("ab", 32)
	master, err := seal.Parse(key)
	if err != nil {
		t.Fatal(err)
	}
	sealed := sealedBefore(t, key, "test", `{"api_key":"one"}`)
	s := shelf{revision: 1, list: []catalog.StoredRecord{{Sort: catalog.ProviderRecord, ID: "a", Fields: []byte(`{"at":"here"}`), Sealed: sealed, Enabled: true, Revision: 1}}}
	var taken []catalog.UnsealedRecord
	if err := reaching(&s, master, &taken).Load(t.Context()); err != nil || taken[0].Secrets["api_key"] != "one" {
		t.Fatalf("%+v, %v", taken, err)
	}
	if !seal.IsMarked(s.list[0].Sealed) {
		t.Fatal("it was not sealed anew")
	}
	s.list[0].Fields = []byte(`{"at":"elsewhere"}`)
	if err := reaching(&s, master, &taken).Load(t.Context()); err != nil || !taken[0].Moved {
		t.Errorf("it opens for another address: %+v, %v", taken, err)
	}
}

func TestOnlyAdministratorsChangeOffers(t *testing.T) {
	t.Parallel()
	var s shelf
	var taken []catalog.UnsealedRecord
	o := reaching(&s, seal.New(), &taken)
	owner := access.Principal{User: "user_2", Workspace: access.DefaultWorkspace, Role: access.Owner}
	for name, err := range map[string]error{
		"save":   o.Save(t.Context(), owner, at("here", nil)),
		"switch": o.Switch(t.Context(), owner, catalog.ProviderRecord, "a", false),
		"delete": o.Delete(t.Context(), owner, catalog.ProviderRecord, "a"),
	} {
		if f := fault.From(err); f == nil || f.Code != fault.PermissionDenied {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEntriesSayWhatChangedAndNoSecret(t *testing.T) {
	t.Parallel()
	var s shelf
	var taken []catalog.UnsealedRecord
	o := reaching(&s, seal.New(), &taken)
	d := at("here", map[string]string{"api_key": "sk-one"})
	d.Fields = []byte(`{"at":"here","base_url":"https://user:hush@example.com/v1","models":["a","b"]}`)
	if err := o.Save(t.Context(), somebody, d); err != nil {
		t.Fatal(err)
	}
	d.Fields, d.Secrets, d.Revision = []byte(`{"at":"here","base_url":"https://example.com/v2","models":["a"]}`), map[string]string{"api_key": "sk-two"}, 1
	if err := o.Save(t.Context(), somebody, d); err != nil {
		t.Fatal(err)
	}
	want := []access.Change{
		{Field: "base_url", Old: "https://user:xxxxx@example.com/v1", New: "https://example.com/v2"},
		{Field: "models[1]", Old: "b"}, {Field: "api_key", New: "changed"},
	}
	if got := s.entries[1].Changes; !slices.Equal(got, want) {
		t.Errorf("changes are %+v", got)
	}
}

// sealedBefore seals as versions before the mark did.
func sealedBefore(t *testing.T, key, purpose, plain string) []byte {
	t.Helper()
	master, err := hex.DecodeString(key)
	if err != nil {
		t.Fatal(err)
	}
	derived, err := hkdf.Key(sha256.New, master, nil, "stele box: "+purpose, 32)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		t.Fatal(err)
	}
	return aead.Seal(nil, nil, []byte(plain), nil)
}
