package assembly

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/config"
	"stele/internal/file"
	"stele/internal/seal"
	"stele/internal/store"
	"stele/internal/store/template"
	"stele/internal/supply"
	"stele/internal/uid"
	"stele/internal/webhook"
)

// sealedInstallation is an installation with one of everything that a master key protects.
type sealedInstallation struct {
	cfg     *config.Config
	key     string // an API key's text
	session string
	hook    string // the webhook secret
	link    [3]string
}

const providerSecret = "sk-of-the-provider"

// newSealedInstallation makes one, as a version did whose keys were the master's own, or as this one does.
func newSealedInstallation(t *testing.T, engine string, older bool) *sealedInstallation {
	t.Helper()
	database, folder := template.Place(t, engine)
	if folder == "" {
		folder = t.TempDir()
	}
	if _, err := seal.LoadOrMake(filepath.Join(folder, "master.key")); err != nil { // beside a database it must be there
		t.Fatal(err)
	}
	cfg := config.Default()
	cfg.Data, cfg.DatabaseURL = folder, config.Secret(database)
	s := &sealedInstallation{cfg: cfg}
	if older {
		s.makeOlder(t)
	} else {
		s.with(t, func(h *Installation) {
			offers := catalog.NewRecords(catalog.RecordsOptions{
				Store: h.Store, Box: h.Keyring.Box(supply.SecretsBox), Reach: supply.Reach(connector{}), Now: time.Now,
				Try: func([]catalog.UnsealedRecord) catalog.Faults { return nil }, Take: func([]catalog.UnsealedRecord) error { return nil },
			})
			for i := range 3 {
				err := offers.Save(t.Context(), access.CommandLine("default"), catalog.Draft{
					Sort: catalog.ProviderRecord, ID: fmt.Sprintf("p%d", i), Fields: []byte(`{"kind":"openai"}`), Enabled: true,
					Secrets: map[string]string{"api_key": providerSecret},
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			s.fill(t, h, h.Access)
			s.hook = s.hookSecret(t, h)
			s.link = sign(h.files2(), uid.New("file"))
		})
	}
	s.check(t)
	return s
}

func (s *sealedInstallation) fill(t *testing.T, _ *Installation, keys *access.Service) {
	t.Helper()
	keys.HashCheaply()
	var err error
	if _, s.key, err = keys.CreateKey(t.Context(), access.CommandLine("default"), access.NewKey{Name: "k"}); err != nil {
		t.Fatal(err)
	}
	if _, err := keys.EnsureAdmin(t.Context(), "a@example.com", "a long password"); err != nil {
		t.Fatal(err)
	}
	if _, s.session, err = keys.SignIn(t.Context(), "a@example.com", "a long password", access.Browser{}); err != nil {
		t.Fatal(err)
	}
}

// makeOlder writes what a version before the keyring left.
func (s *sealedInstallation) makeOlder(t *testing.T) {
	t.Helper()
	master, err := seal.LoadOrMake(filepath.Join(s.cfg.Data, "master.key"))
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), s.cfg.DatabaseURL.Reveal(), s.cfg.Data)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.SetOnce(t.Context(), "master_key_fingerprint", master.Fingerprint()); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		o := catalog.StoredRecord{
			Sort: catalog.ProviderRecord, ID: fmt.Sprintf("p%d", i), Fields: []byte(`{"kind":"openai"}`), Enabled: true,
			Sealed: sealAsBefore(t, master, supply.SecretsBox, `{"api_key":"`+providerSecret+`"}`),
		}
		if err := db.PutStoredRecord(t.Context(), o, 0, access.Entry{ID: uid.New("aud"), Action: "provider.create"}); err != nil {
			t.Fatal(err)
		}
	}
	s.hook = "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 32))
	hook := base64.StdEncoding.EncodeToString(sealAsBefore(t, master, webhookBox, s.hook))
	if _, err := db.SetWebhookSecrets(t.Context(), "default", webhook.Secrets{}, webhook.Secrets{Current: hook}); err != nil {
		t.Fatal(err)
	}
	s.fill(t, nil, access.New(db, master, time.Now))
	s.link = sign(file.New(file.Options{Secret: master.Derive("files"), Public: public, Settings: anHour, Now: time.Now}), uid.New("file"))
}

func sealAsBefore(t *testing.T, m *seal.Master, purpose, plain string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(m.Text())
	if err != nil {
		t.Fatal(err)
	}
	key, err := hkdf.Key(sha256.New, raw, nil, "stele box: "+purpose, 32)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		t.Fatal(err)
	}
	return aead.Seal(nil, nil, []byte(plain), nil)
}

func public() *url.URL { return &url.URL{Scheme: "https", Host: "stele.example.com"} }

func (h *Installation) files2() *file.Service {
	return file.New(file.Options{Secrets: h.signing, Public: public, Settings: anHour, Now: time.Now})
}

func anHour() file.Settings { return file.Settings{URLLife: time.Hour} }

// sign gives id, expiry and signature of an address.
func sign(files *file.Service, id string) [3]string {
	u, _ := url.Parse(files.URL(id, "image/png"))
	return [3]string{id, u.Query().Get("exp"), u.Query().Get("sig")}
}

func (s *sealedInstallation) hookSecret(t *testing.T, h *Installation) string {
	t.Helper()
	secret, err := webhook.New(webhook.Options{Store: h.Store, Box: h.Keyring.Box(webhookBox), Now: time.Now}).Secret(t.Context(), "default")
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

func (s *sealedInstallation) with(t *testing.T, do func(h *Installation)) {
	t.Helper()
	h, err := Open(t.Context(), s.cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	do(h)
}

// check says whether everything that is in clients' hands and everything sealed still works.
func (s *sealedInstallation) check(t *testing.T) {
	t.Helper()
	s.with(t, func(h *Installation) { s.checkIn(t, h) })
}

func (s *sealedInstallation) checkIn(t *testing.T, h *Installation) {
	t.Helper()
	if _, _, err := h.Access.Admit(s.key, ""); err != nil {
		t.Errorf("the API key: %v", err)
	}
	if _, err := h.Access.BySession(t.Context(), s.session); err != nil {
		t.Errorf("the session: %v", err)
	}
	if err := h.files2().Verify(s.link[0], s.link[1], s.link[2]); err != nil {
		t.Errorf("the signed address: %v", err)
	}
	if got := s.hookSecret(t, h); got != s.hook {
		t.Errorf("the webhook secret is another one")
	}
	var opened []catalog.UnsealedRecord
	offers := catalog.NewRecords(catalog.RecordsOptions{
		Store: h.Store, Box: h.Keyring.Box(supply.SecretsBox), Reach: supply.Reach(connector{}), Now: time.Now,
		Take: func(list []catalog.UnsealedRecord) error { opened = list; return nil },
	})
	if err := offers.Load(t.Context()); err != nil || len(opened) != 3 {
		t.Fatalf("%d providers, %v", len(opened), err)
	}
	for _, o := range opened {
		if o.Secrets["api_key"] != providerSecret {
			t.Errorf("the secret of %s does not open", o.ID)
		}
	}
	if n, broken, err := h.VerifySealed(t.Context()); err != nil || n != 4 || len(broken) > 0 {
		t.Errorf("verify: %d open, %v do not, %v", n, broken, err)
	}
}

func (s *sealedInstallation) master(t *testing.T) *seal.Master {
	t.Helper()
	m, err := seal.Load(filepath.Join(s.cfg.Data, "master.key"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// opensNothing tries an old key on every value of every table.
func (s *sealedInstallation) opensNothing(t *testing.T, old *seal.Master) {
	t.Helper()
	s.with(t, func(h *Installation) {
		purposes := []string{"keyring"}
		for _, c := range store.SealedColumns() {
			purposes = append(purposes, c.Purpose)
		}
		values, marked := 0, 0
		for table, row := range everyValue(t, h.Store.Writer(), h.Store.Engine()) {
			for _, raw := range row {
				forms := [][]byte{raw}
				if b, err := base64.StdEncoding.DecodeString(string(raw)); err == nil {
					forms = append(forms, b)
				}
				for part := range strings.SplitSeq(string(raw), `"`) { // the wrapped rings are inside of JSON
					if b, err := base64.StdEncoding.DecodeString(part); err == nil {
						forms = append(forms, b)
					}
				}
				for _, form := range forms {
					values++
					if seal.IsMarked(form) {
						marked++
					}
					for _, purpose := range purposes {
						if len(form) > 0 && old.Box(purpose).Verify(form) == nil {
							t.Errorf("the old key opens a value of %s", table)
						}
					}
				}
			}
		}
		if marked < 5 || values < 50 {
			t.Errorf("only %d of %d values are sealed: this test sees too little", marked, values)
		}
	})
	// Nor is it accepted.
	kept, err := os.ReadFile(filepath.Join(s.cfg.Data, "master.key"))
	if err != nil {
		t.Fatal(err)
	}
	other := *s.cfg
	other.MasterKeyFile = filepath.Join(t.TempDir(), "old.key")
	if err := os.WriteFile(other.MasterKeyFile, []byte(old.Text()), 0o600); err != nil {
		t.Fatal(err)
	}
	if h, err := Open(t.Context(), &other); err == nil {
		h.Close()
		t.Error("the old key is accepted")
	}
	if bytes.Contains(kept, []byte(old.Text())) {
		t.Error("the old key is still in its place")
	}
}

// everyValue reads every text and blob of every table.
func everyValue(t *testing.T, db *sql.DB, engine string) map[string][][]byte {
	t.Helper()
	list := `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
	if engine == "postgres" {
		list = `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`
	}
	rows, err := db.QueryContext(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	var tables []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Fatal(err)
	}
	all := make(map[string][][]byte)
	for _, table := range tables {
		rows, err := db.QueryContext(t.Context(), `SELECT * FROM `+table) //nolint:gosec // names of our own tables
		if err != nil {
			t.Fatal(err)
		}
		names, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			cells := make([]any, len(names))
			for i := range cells {
				cells[i] = new(any)
			}
			if err := rows.Scan(cells...); err != nil {
				t.Fatal(err)
			}
			for i, cell := range cells {
				name := table + "." + names[i]
				switch v := (*cell.(*any)).(type) {
				case []byte:
					all[name] = append(all[name], bytes.Clone(v))
				case string:
					all[name] = append(all[name], []byte(v))
				}
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return all
}
