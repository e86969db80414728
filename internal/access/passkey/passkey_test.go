package passkey_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net/url"
	"testing"

	"stele/internal/access/passkey"
)

// device makes passkeys as a real one does.
type device struct {
	t      *testing.T
	id     []byte
	key    *ecdsa.PrivateKey
	handle []byte
	origin string
	host   string
	flags  byte // of what is signed
	count  uint32
}

const (
	present  = 0x01
	verified = 0x04
	attested = 0x40
)

func newDevice(t *testing.T) *device {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id := make([]byte, 16)
	rand.Read(id)
	return &device{t: t, id: id, key: key, origin: "https://stele.example.com", host: "stele.example.com", flags: present | verified}
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func (d *device) client(kind string, options []byte) []byte {
	d.t.Helper()
	var o struct {
		Challenge string
		User      struct{ ID string }
	}
	if err := json.Unmarshal(options, &o); err != nil {
		d.t.Fatal(err)
	}
	if o.User.ID != "" {
		d.handle, _ = base64.RawURLEncoding.DecodeString(o.User.ID)
	}
	text, err := json.Marshal(map[string]any{"type": kind, "challenge": o.Challenge, "origin": d.origin, "crossOrigin": false})
	if err != nil {
		d.t.Fatal(err)
	}
	return text
}

func (d *device) data(more byte) []byte {
	d.count++
	sum := sha256.Sum256([]byte(d.host))
	return binary.BigEndian.AppendUint32(append(sum[:], d.flags|more), d.count)
}

func (d *device) make(options []byte) []byte {
	d.t.Helper()
	client := d.client("webauthn.create", options)
	point, err := d.key.PublicKey.Bytes()
	if err != nil {
		d.t.Fatal(err)
	}
	cose := append([]byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 32}, point[1:33]...)
	cose = append(append(cose, 0x22, 0x58, 32), point[33:]...)
	data := append(d.data(attested), make([]byte, 16)...)
	data = binary.BigEndian.AppendUint16(data, uint16(len(d.id)))
	data = append(append(data, d.id...), cose...)
	object := append([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58"), byte(len(data)))
	return d.answer(map[string]any{"clientDataJSON": b64(client), "attestationObject": b64(append(object, data...))})
}

func (d *device) sign(options []byte) []byte {
	d.t.Helper()
	client, data := d.client("webauthn.get", options), d.data(0)
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(append([]byte{}, data...), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, d.key, digest[:])
	if err != nil {
		d.t.Fatal(err)
	}
	return d.answer(map[string]any{"clientDataJSON": b64(client), "authenticatorData": b64(data), "signature": b64(signature), "userHandle": b64(d.handle)})
}

func (d *device) answer(response map[string]any) []byte {
	text, err := json.Marshal(map[string]any{"id": b64(d.id), "rawId": b64(d.id), "type": "public-key", "response": response, "clientExtensionResults": map[string]any{}})
	if err != nil {
		d.t.Fatal(err)
	}
	return text
}

func party(t *testing.T) passkey.Party {
	t.Helper()
	u, _ := url.Parse("https://stele.example.com/stele")
	p, ok := passkey.PartyAt(u)
	if !ok {
		t.Fatal("no passkeys here")
	}
	return p
}

// registered is a holder with the passkey of a device.
func registered(t *testing.T, d *device) passkey.Holder {
	t.Helper()
	h := passkey.Holder{Handle: []byte("handle of ada"), Name: "ada@example.com"}
	options, state, err := party(t).Make(h)
	if err != nil {
		t.Fatal(err)
	}
	key, err := party(t).Made(h, state, d.make(options))
	if err != nil {
		t.Fatal(err)
	}
	h.Keys = [][]byte{key.Data}
	return h
}

func TestAPasskeySignsIn(t *testing.T) {
	t.Parallel()
	d := newDevice(t)
	h := registered(t, d)
	find := func([]byte) (passkey.Holder, error) { return h, nil }
	for name, of := range map[string]*passkey.Holder{"one of hers": &h, "any of this site": nil} {
		options, state, err := party(t).Ask(of)
		if err != nil {
			t.Fatal(err)
		}
		key, err := party(t).Signed(find, state, d.sign(options))
		if err != nil || string(key.ID) != string(d.id) {
			t.Errorf("%s: %v", name, err)
		}
		h.Keys = [][]byte{key.Data}
	}
}

// Each is one attack, or one mistake, that must not let anybody in.
func TestDoubtfulPasskeysAreRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		of     bool // asked of the holder, else of anybody
		change func(d *device, h *passkey.Holder)
	}{
		"another origin":            {true, func(d *device, _ *passkey.Holder) { d.origin = "https://evil.example.com" }},
		"another scheme":            {true, func(d *device, _ *passkey.Holder) { d.origin = "http://stele.example.com" }},
		"another host":              {true, func(d *device, _ *passkey.Holder) { d.host = "example.com" }},
		"nobody present":            {true, func(d *device, _ *passkey.Holder) { d.flags = 0 }},
		"nobody recognised":         {false, func(d *device, _ *passkey.Holder) { d.flags = present }},
		"another's handle":          {false, func(d *device, _ *passkey.Holder) { d.handle = []byte("handle of eve") }},
		"no handle":                 {false, func(d *device, _ *passkey.Holder) { d.handle = nil }},
		"another key":               {true, func(d *device, _ *passkey.Holder) { d.key = newDevice(d.t).key }},
		"a key of no holder":        {true, func(_ *device, h *passkey.Holder) { h.Keys = nil }},
		"a counter that went back":  {true, func(d *device, _ *passkey.Holder) { d.count = 0 }},
		"the same handle elsewhere": {true, func(_ *device, h *passkey.Holder) { h.Handle = []byte("other") }},
	} {
		d := newDevice(t)
		h := registered(t, d)
		of := &h
		if !test.of {
			of = nil
		}
		options, state, err := party(t).Ask(of)
		if err != nil {
			t.Fatal(err)
		}
		owner := h
		test.change(d, &owner)
		if _, err := party(t).Signed(func([]byte) (passkey.Holder, error) { return owner, nil }, state, d.sign(options)); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	d := newDevice(t)
	h := registered(t, d)
	_, state, _ := party(t).Ask(&h)
	other, _, _ := party(t).Ask(&h)
	find := func([]byte) (passkey.Holder, error) { return h, nil }
	if _, err := party(t).Signed(find, state, d.sign(other)); err == nil {
		t.Error("the answer to another question was taken")
	}
	options, state, _ := party(t).Ask(&h)
	if _, err := party(t).Signed(func([]byte) (passkey.Holder, error) { return h, errors.New("unknown") }, state, d.sign(options)); err == nil {
		t.Error("an unknown passkey was taken")
	}
	for _, answer := range []string{"", "{}", "null", `{"id":"x"}`, "\x00"} {
		if _, err := party(t).Signed(find, state, []byte(answer)); err == nil {
			t.Errorf("%q was taken", answer)
		}
		if _, err := party(t).Made(h, state, []byte(answer)); err == nil {
			t.Errorf("%q was taken as a new one", answer)
		}
	}
}

func TestPasskeysNeedANameAndTLS(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://stele.example.com": true, "http://localhost:8080": true, "https://localhost": true,
		"http://stele.example.com": false, "http://127.0.0.1:8080": false, "https://192.0.2.7": false, "https://[::1]:8443": false, "https://": false,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := passkey.PartyAt(u); ok != want {
			t.Errorf("%s: %v", address, ok)
		}
	}
}
