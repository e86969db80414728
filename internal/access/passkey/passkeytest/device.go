// Package passkeytest is a device that makes passkeys, for tests. It knows WebAuthn and nothing of ours.
package passkeytest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"
)

// Device makes passkeys as a real one does, for stele.example.com.
type Device struct {
	ID     []byte
	Key    *ecdsa.PrivateKey
	Handle []byte
	Origin string
	Host   string
	Flags  byte   // of what is signed
	Count  uint32 // of signatures
	Synced bool   // it does not count: it is on several machines
	RSA    []byte // the modulus of the key that it says it has made; nil: it is Key

	t *testing.T
}

// What a device says of its person.
const (
	Present  = 0x01
	verified = 0x04
	attested = 0x40
)

// NewDevice makes one that recognises its person.
func NewDevice(t *testing.T) *Device {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id := make([]byte, 16)
	rand.Read(id)
	return &Device{ID: id, Key: key, Origin: "https://stele.example.com", Host: "stele.example.com", Flags: Present | verified, t: t}
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func (d *Device) client(kind string, options []byte) []byte {
	d.t.Helper()
	var o struct {
		Challenge string
		User      struct{ ID string }
	}
	if err := json.Unmarshal(options, &o); err != nil {
		d.t.Fatal(err)
	}
	if o.User.ID != "" {
		d.Handle, _ = base64.RawURLEncoding.DecodeString(o.User.ID)
	}
	text, err := json.Marshal(map[string]any{"type": kind, "challenge": o.Challenge, "origin": d.Origin, "crossOrigin": false})
	if err != nil {
		d.t.Fatal(err)
	}
	return text
}

func (d *Device) data(more byte) []byte {
	if !d.Synced {
		d.Count++
	}
	sum := sha256.Sum256([]byte(d.Host))
	return binary.BigEndian.AppendUint32(append(sum[:], d.Flags|more), d.Count)
}

// Make answers a question for a new passkey.
func (d *Device) Make(options []byte) []byte {
	d.t.Helper()
	client := d.client("webauthn.create", options)
	point, err := d.Key.PublicKey.Bytes()
	if err != nil {
		d.t.Fatal(err)
	}
	cose := append([]byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 32}, point[1:33]...)
	cose = append(append(cose, 0x22, 0x58, 32), point[33:]...)
	if d.RSA != nil {
		cose = binary.BigEndian.AppendUint16([]byte{0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x59}, uint16(len(d.RSA)))
		cose = append(append(cose, d.RSA...), 0x21, 0x43, 0x01, 0x00, 0x01)
	}
	data := append(d.data(attested), make([]byte, 16)...)
	data = binary.BigEndian.AppendUint16(data, uint16(len(d.ID)))
	data = append(append(data, d.ID...), cose...)
	object := binary.BigEndian.AppendUint16([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59"), uint16(len(data)))
	return d.answer(map[string]any{"clientDataJSON": b64(client), "attestationObject": b64(append(object, data...))})
}

// Sign answers a question for a signature.
func (d *Device) Sign(options []byte) []byte {
	d.t.Helper()
	client, data := d.client("webauthn.get", options), d.data(0)
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(append([]byte{}, data...), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, d.Key, digest[:])
	if err != nil {
		d.t.Fatal(err)
	}
	return d.answer(map[string]any{"clientDataJSON": b64(client), "authenticatorData": b64(data), "signature": b64(signature), "userHandle": b64(d.Handle)})
}

func (d *Device) answer(response map[string]any) []byte {
	text, err := json.Marshal(map[string]any{"id": b64(d.ID), "rawId": b64(d.ID), "type": "public-key", "response": response, "clientExtensionResults": map[string]any{}})
	if err != nil {
		d.t.Fatal(err)
	}
	return text
}
