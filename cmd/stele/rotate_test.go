package main

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
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/config"
	"stele/internal/file"
	"stele/internal/seal"
	"stele/internal/store"
	"stele/internal/store/storetest"
	"stele/internal/uid"
	"stele/internal/webhook"
)

// sealedHouse is an installation with one of everything that a master key protects.
type sealedHouse struct {
	cfg     *config.Config
	key     string // an API key's text
	session string
	hook    string // the webhook secret
	link    [3]string
}

const providerSecret = "sk-of-the-provider"

// newSealedHouse makes one, as a version did whose keys were the master's own, or as this one does.
func newSealedHouse(t *testing.T, engine string, older bool) *sealedHouse {
	t.Helper()
	database, folder := storetest.Place(t, engine)
	if folder == "" {
		folder = t.TempDir()
	}
	cfg := config.Default()
	cfg.Data, cfg.DatabaseURL = folder, config.Secret(database)
	s := &sealedHouse{cfg: cfg}
	if older {
		s.makeOlder(t)
	} else {
		s.with(t, func(h *house) {
			offers := catalog.NewOffers(catalog.OffersOptions{
				Store: h.store, Box: h.master.Box(offerBox), Reach: reachOf, Now: time.Now,
				Try: func([]catalog.OpenOffer) catalog.Faults { return nil }, Take: func([]catalog.OpenOffer) error { return nil },
			})
			for i := range 3 {
				err := offers.Save(t.Context(), access.CommandLine("default"), catalog.Draft{
					Sort: catalog.ProviderOffer, ID: fmt.Sprintf("p%d", i), Fields: []byte(`{"kind":"openai"}`), Enabled: true,
					Secrets: map[string]string{"api_key": providerSecret},
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			s.fill(t, h, h.access)
			s.hook = s.hookSecret(t, h)
			s.link = sign(h.files2(), uid.New("file"))
		})
	}
	s.check(t)
	return s
}

func (s *sealedHouse) fill(t *testing.T, _ *house, keys *access.Service) {
	t.Helper()
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
func (s *sealedHouse) makeOlder(t *testing.T) {
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
		o := catalog.Offer{
			Sort: catalog.ProviderOffer, ID: fmt.Sprintf("p%d", i), Fields: []byte(`{"kind":"openai"}`), Enabled: true,
			Sealed: sealAsBefore(t, master, offerBox, `{"api_key":"`+providerSecret+`"}`),
		}
		if err := db.PutOffer(t.Context(), o, 0, access.Entry{ID: uid.New("aud"), Action: "provider.create"}); err != nil {
			t.Fatal(err)
		}
	}
	s.hook = "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 32))
	hook := base64.StdEncoding.EncodeToString(sealAsBefore(t, master, webhookBox, s.hook))
	if _, err := db.SetWebhookSecrets(t.Context(), "default", webhook.Secrets{}, webhook.Secrets{Current: hook}); err != nil {
		t.Fatal(err)
	}
	s.fill(t, nil, access.New(db, master, time.Now))
	s.link = sign(file.New(file.Options{Secret: master.Derived("files"), Public: public, Now: time.Now}), uid.New("file"))
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

func (h *house) files2() *file.Service {
	return file.New(file.Options{Secrets: h.signing, Public: public, Now: time.Now})
}

// sign gives id, expiry and signature of an address.
func sign(files *file.Service, id string) [3]string {
	u, _ := url.Parse(files.URL(id, "image/png"))
	return [3]string{id, u.Query().Get("exp"), u.Query().Get("sig")}
}

func (s *sealedHouse) hookSecret(t *testing.T, h *house) string {
	t.Helper()
	secret, err := webhook.New(webhook.Options{Store: h.store, Box: h.master.Box(webhookBox), Now: time.Now}).Secret(t.Context(), "default")
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

func (s *sealedHouse) with(t *testing.T, do func(h *house)) {
	t.Helper()
	h, err := openHouse(t.Context(), s.cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer h.store.Close()
	do(h)
}

// check says whether everything that is in clients' hands and everything sealed still works.
func (s *sealedHouse) check(t *testing.T) {
	t.Helper()
	s.with(t, func(h *house) { s.checkIn(t, h) })
}

func (s *sealedHouse) checkIn(t *testing.T, h *house) {
	t.Helper()
	if _, err := h.access.ByKey(s.key); err != nil {
		t.Errorf("the API key: %v", err)
	}
	if _, err := h.access.BySession(t.Context(), s.session); err != nil {
		t.Errorf("the session: %v", err)
	}
	if err := h.files2().Verify(s.link[0], s.link[1], s.link[2]); err != nil {
		t.Errorf("the signed address: %v", err)
	}
	if got := s.hookSecret(t, h); got != s.hook {
		t.Errorf("the webhook secret is another one")
	}
	var opened []catalog.OpenOffer
	offers := catalog.NewOffers(catalog.OffersOptions{
		Store: h.store, Box: h.master.Box(offerBox), Reach: reachOf, Now: time.Now,
		Take: func(list []catalog.OpenOffer) error { opened = list; return nil },
	})
	if err := offers.Load(t.Context()); err != nil || len(opened) != 3 {
		t.Fatalf("%d providers, %v", len(opened), err)
	}
	for _, o := range opened {
		if o.Secrets["api_key"] != providerSecret {
			t.Errorf("the secret of %s does not open", o.ID)
		}
	}
	if n, broken, err := h.verifySealed(t.Context()); err != nil || n != 4 || len(broken) > 0 {
		t.Errorf("verify: %d open, %v do not, %v", n, broken, err)
	}
}

func (s *sealedHouse) master(t *testing.T) *seal.Master {
	t.Helper()
	m, err := seal.Load(filepath.Join(s.cfg.Data, "master.key"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// opensNothing tries an old key on every value of every table.
func (s *sealedHouse) opensNothing(t *testing.T, old *seal.Master) {
	t.Helper()
	s.with(t, func(h *house) {
		purposes := []string{"keyring"}
		for _, c := range store.SealedColumns() {
			purposes = append(purposes, c.Purpose)
		}
		values, marked := 0, 0
		for table, row := range everyValue(t, h.store.Writer(), h.store.Engine()) {
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
					if seal.Marked(form) {
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
	if h, err := openHouse(t.Context(), &other); err == nil {
		h.store.Close()
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

func (s *sealedHouse) rotate(t *testing.T, step func(string) error) error {
	t.Helper()
	h, err := openHouse(t.Context(), s.cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer h.store.Close()
	r := rotation{house: h, links: time.Hour, out: io.Discard, now: time.Now, step: step}
	return r.run(t.Context())
}

func onEveryHouse(t *testing.T, test func(t *testing.T, s *sealedHouse)) {
	t.Helper()
	for _, engine := range storetest.Engines() {
		for name, older := range map[string]bool{"new": false, "of an older version": true} {
			t.Run(engine+" "+name, func(t *testing.T) {
				t.Parallel()
				test(t, newSealedHouse(t, engine, older))
			})
		}
	}
}

func TestAfterARotationTheOldKeyOpensNothing(t *testing.T) {
	t.Parallel()
	onEveryHouse(t, func(t *testing.T, s *sealedHouse) {
		old := s.master(t)
		for range 2 { // and once more
			if err := s.rotate(t, nil); err != nil {
				t.Fatal(err)
			}
			s.check(t)
			s.opensNothing(t, old)
		}
	})
}

var errKilled = errors.New("killed")

// At whichever step it is killed, everything works before it goes on, and after.
func TestARotationThatIsKilledGoesOn(t *testing.T) {
	t.Parallel()
	onEveryHouse(t, func(t *testing.T, s *sealedHouse) {
		var steps []string
		for n := 0; ; n++ {
			old := s.master(t)
			count, killed := 0, ""
			err := s.rotate(t, func(step string) error {
				if count++; count > n {
					killed = step
					return errKilled
				}
				return nil
			})
			if err == nil {
				break
			}
			if !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			steps = append(steps, killed)
			s.check(t)
			if killed == "old key ended" { // it was done
				s.opensNothing(t, old)
				continue
			}
			if err := s.rotate(t, nil); err != nil {
				t.Fatalf("after %q: %v", killed, err)
			}
			s.check(t)
			s.opensNothing(t, old)
			if t.Failed() {
				t.Fatalf("killed after %q", killed)
			}
		}
		for _, step := range []string{"new key", "both keys", "one sealed anew", "all sealed anew", "new key in its place", "old key ended"} {
			if !slices.Contains(steps, step) {
				t.Errorf("never killed after %q: %v", step, steps)
			}
		}
	})
}

// A process that runs meanwhile opens whatever the other one has sealed, and what it seals is not lost.
func TestARunningProcessGoesOnThroughARotation(t *testing.T) {
	t.Parallel()
	onEveryHouse(t, func(t *testing.T, s *sealedHouse) {
		s.with(t, func(running *house) {
			old := s.master(t)
			late := running.master.Box(offerBox).SealFor("x", []byte("late")) // sealed, but not saved yet
			steps := 0
			err := s.rotate(t, func(string) error {
				steps++
				s.checkIn(t, running)
				return nil
			})
			if err != nil || steps < 7 {
				t.Fatalf("%d steps, %v", steps, err)
			}
			s.checkIn(t, running)
			if err := running.master.Follow(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.checkIn(t, running)
			if state := running.master.State(); state.Using != s.master(t).Fingerprint() || state.To != "" || len(state.Opens) != 1 {
				t.Errorf("the running process is at %+v", state)
			}
			if plain, err := running.master.Box(offerBox).OpenFor("x", late); err != nil || string(plain) != "late" {
				t.Errorf("what was sealed with the old key just before: %v", err)
			}
			s.opensNothing(t, old)
		})
	})
}

// A server on another machine keeps the old key from ending until it has the new one.
func TestARotationWaitsForOtherServers(t *testing.T) {
	t.Parallel()
	s := newSealedHouse(t, "sqlite", false)
	elsewhere := *s.cfg
	elsewhere.MasterKeyFile = filepath.Join(t.TempDir(), "master.key")
	copyFile(t, filepath.Join(s.cfg.Data, "master.key"), elsewhere.MasterKeyFile)
	far, err := openHouse(t.Context(), &elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	defer far.store.Close()
	follow := func(want string) {
		t.Helper()
		if err := far.store.Beat(t.Context(), "node_far", time.Now()); err != nil {
			t.Fatal(err)
		}
		if err := far.master.NoteHolder(t.Context(), "node_far"); err != nil {
			t.Fatal(err)
		}
		if holders, err := far.store.MasterHolders(t.Context(), time.Time{}); err != nil || holders["node_far"] != want {
			t.Fatalf("holders are %v, %v", holders, err)
		}
	}
	old := s.master(t)
	follow(old.Fingerprint())
	if err := s.rotate(t, nil); !errors.Is(err, errLagging) || !strings.Contains(err.Error(), "node_far") {
		t.Fatalf("with a server that lacks the key: %v", err)
	}
	s.check(t)
	if s.master(t).Fingerprint() != old.Fingerprint() {
		t.Fatal("the key was replaced")
	}
	copyFile(t, filepath.Join(s.cfg.Data, "master.key.next"), elsewhere.MasterKeyFile+".next")
	next, err := seal.Load(elsewhere.MasterKeyFile + ".next")
	if err != nil {
		t.Fatal(err)
	}
	follow(next.Fingerprint())
	if err := s.rotate(t, nil); err != nil {
		t.Fatal(err)
	}
	s.checkIn(t, far)
	s.opensNothing(t, old)
	again, err := openHouse(t.Context(), &elsewhere) // as after a restart
	if err != nil {
		t.Fatal(err)
	}
	defer again.store.Close()
	s.checkIn(t, again)
	if m, err := seal.Load(elsewhere.MasterKeyFile); err != nil || m.Fingerprint() != next.Fingerprint() {
		t.Errorf("its own file is not the new key: %v", err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Whatever is sealed and kept stands in the list of what is sealed anew.
func TestEverySealedValueIsListed(t *testing.T) {
	t.Parallel()
	s := newSealedHouse(t, "sqlite", false)
	listed := map[string]bool{"settings.value": true}
	for _, c := range store.SealedColumns() {
		listed[c.Table+"."+c.Column] = true
	}
	s.with(t, func(h *house) {
		for name, values := range everyValue(t, h.store.Writer(), h.store.Engine()) {
			for _, raw := range values {
				decoded, _ := base64.StdEncoding.DecodeString(string(raw))
				if (seal.Marked(raw) || seal.Marked(decoded)) && !listed[name] {
					t.Errorf("%s has sealed values and is not in store.SealedColumns: they would not be sealed anew", name)
				}
			}
		}
	})
}
