package passkey_test

import (
	"bytes"
	"errors"
	"net/url"
	"testing"

	"stele/internal/access/passkey"
	"stele/internal/access/passkey/passkeytest"
)

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
func registered(t *testing.T, d *passkeytest.Device) passkey.Holder {
	t.Helper()
	h := passkey.Holder{Handle: []byte("handle of ada"), Name: "ada@example.com"}
	options, state, err := party(t).Make(h)
	if err != nil {
		t.Fatal(err)
	}
	key, err := party(t).CheckMade(h, state, d.Make(options))
	if err != nil {
		t.Fatal(err)
	}
	h.Keys = [][]byte{key.Data}
	return h
}

func TestAPasskeySignsIn(t *testing.T) {
	t.Parallel()
	d := passkeytest.NewDevice(t)
	h := registered(t, d)
	find := func([]byte) (passkey.Holder, error) { return h, nil }
	for name, of := range map[string]*passkey.Holder{"one of hers": &h, "any of this site": nil} {
		options, state, err := party(t).Ask(of)
		if err != nil {
			t.Fatal(err)
		}
		key, err := party(t).CheckSigned(find, state, d.Sign(options))
		if err != nil || string(key.ID) != string(d.ID) {
			t.Errorf("%s: %v", name, err)
		}
		h.Keys = [][]byte{key.Data}
	}
}

// Each is one attack, or one mistake, that must not let a stranger in.
func TestDoubtfulPasskeysAreRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		of     bool // asked of the holder, else of any person
		change func(d *passkeytest.Device, h *passkey.Holder)
	}{
		"another origin":            {true, func(d *passkeytest.Device, _ *passkey.Holder) { d.Origin = "https://evil.example.com" }},
		"another scheme":            {true, func(d *passkeytest.Device, _ *passkey.Holder) { d.Origin = "http://stele.example.com" }},
		"another host":              {true, func(d *passkeytest.Device, _ *passkey.Holder) { d.Host = "example.com" }},
		"nobody present":            {true, func(d *passkeytest.Device, _ *passkey.Holder) { d.Flags = 0 }},
		"nobody recognised":         {false, func(d *passkeytest.Device, _ *passkey.Holder) { d.Flags = passkeytest.Present }},
		"another's handle":          {false, func(d *passkeytest.Device, _ *passkey.Holder) { d.Handle = []byte("handle of eve") }},
		"no handle":                 {false, func(d *passkeytest.Device, _ *passkey.Holder) { d.Handle = nil }},
		"another key":               {true, func(d *passkeytest.Device, _ *passkey.Holder) { d.Key = passkeytest.NewDevice(t).Key }},
		"a key of no holder":        {true, func(_ *passkeytest.Device, h *passkey.Holder) { h.Keys = nil }},
		"a counter that went back":  {true, func(d *passkeytest.Device, _ *passkey.Holder) { d.Count = 0 }},
		"the same handle elsewhere": {true, func(_ *passkeytest.Device, h *passkey.Holder) { h.Handle = []byte("other") }},
	} {
		d := passkeytest.NewDevice(t)
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
		if _, err := party(t).CheckSigned(func([]byte) (passkey.Holder, error) { return owner, nil }, state, d.Sign(options)); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	d := passkeytest.NewDevice(t)
	h := registered(t, d)
	_, state, _ := party(t).Ask(&h)
	other, _, _ := party(t).Ask(&h)
	find := func([]byte) (passkey.Holder, error) { return h, nil }
	if _, err := party(t).CheckSigned(find, state, d.Sign(other)); err == nil {
		t.Error("the answer to another question was taken")
	}
	options, state, _ := party(t).Ask(&h)
	if _, err := party(t).CheckSigned(func([]byte) (passkey.Holder, error) { return h, errors.New("unknown") }, state, d.Sign(options)); err == nil {
		t.Error("an unknown passkey was taken")
	}
	for _, answer := range []string{"", "{}", "null", `{"id":"x"}`, "\x00"} {
		if _, err := party(t).CheckSigned(find, state, []byte(answer)); err == nil {
			t.Errorf("%q was taken", answer)
		}
		if _, err := party(t).CheckMade(h, state, []byte(answer)); err == nil {
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

// A key that takes seconds to check a signature of is not taken.
func TestPasskeysAreAsLargeAsDevicesMakeThem(t *testing.T) {
	t.Parallel()
	for bits, want := range map[int]bool{2048: true, 4096: true, 16 << 10: false, 64 << 10: false, 300_000: false} {
		d := passkeytest.NewDevice(t)
		d.RSA = bytes.Repeat([]byte{0xff}, bits/8)
		h := passkey.Holder{Handle: []byte("handle of ada"), Name: "ada@example.com"}
		options, state, err := party(t).Make(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := party(t).CheckMade(h, state, d.Make(options)); (err == nil) != want {
			t.Errorf("%d bits: %v", bits, err)
		}
	}
	d := passkeytest.NewDevice(t)
	h := registered(t, d)
	_, state, err := party(t).Ask(&h)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := party(t).CheckSigned(func([]byte) (passkey.Holder, error) { return h, nil }, state, bytes.Repeat([]byte(" "), 1<<20)); err == nil {
		t.Error("a megabyte was taken for a signature")
	}
}
