package access_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/seal"
)

// app sets an authenticator app up and gives its secret and the recovery codes.
func (h *house) app(t *testing.T, v access.Visitor) (string, []string) {
	t.Helper()
	made, err := h.NewApp(v)
	if err != nil {
		t.Fatal(err)
	}
	codes, _, err := h.AddApp(t.Context(), v, made.Ticket, h.digits(t, made.Text))
	if err != nil {
		t.Fatal(err)
	}
	return made.Text, codes
}

func (h *house) digits(t *testing.T, secret string) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, h.clock())
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func TestSecretsOfSecondFactorsAreSealed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.join(t, "a@example.com", "acme", access.Owner)
	secret, codes := h.app(t, v)
	factors, err := h.store.Factors(t.Context(), v.User.ID, "")
	if err != nil || len(factors) != 11 {
		t.Fatalf("%d factors, %v", len(factors), err)
	}
	for _, f := range factors {
		for _, plain := range append(codes, secret) {
			if bytes.Contains(f.Sealed, []byte(plain)) || strings.Contains(f.Lookup+f.Name, plain) {
				t.Errorf("%s is kept as it is", f.Kind)
			}
		}
	}
	h.pass(time.Minute)
	if err := h.Confirm(t.Context(), v, "", h.digits(t, secret)); err != nil {
		t.Errorf("a code after a minute: %v", err)
	}
}

// What a browser keeps between two steps is good for its person and purpose only.
func TestTicketsAreForOnePersonAndPurpose(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ada, eve := h.join(t, "ada@example.com", "acme", access.Owner), h.join(t, "eve@example.com", "acme", access.Owner)
	made, err := h.NewApp(ada)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.AddApp(t.Context(), eve, made.Ticket, h.digits(t, made.Text)); code(err) != fault.PermissionDenied {
		t.Errorf("another's app: %v", err)
	}
	kept, err := h.Keep(ada, "/console/people", []byte("a=b"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := h.Unkeep(ada, "/console/people", kept); string(text) != "a=b" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	_, elsewhere := h.Unkeep(ada, "/console/keys", kept)
	_, another := h.Unkeep(eve, "/console/people", kept)
	_, made2 := h.Unkeep(ada, "/console/people", made.Ticket)
	_, _, second := h.SecondByCode(t.Context(), kept, "123456", access.Browser{})
	_, none := h.Unkeep(ada, "/console/people", "")
	h.pass(2 * time.Hour)
	_, late := h.Unkeep(ada, "/console/people", kept)
	for what, err := range map[string]error{"elsewhere": elsewhere, "another": another, "an app's": made2, "second step": second, "none": none, "late": late} {
		if code(err) != fault.PermissionDenied {
			t.Errorf("%s: %v", what, err)
		}
	}
	other := openHouse(t, t.TempDir(), seal.New())
	if _, err := other.Unkeep(ada, "/console/people", kept); code(err) != fault.PermissionDenied {
		t.Errorf("with another master key: %v", err)
	}
}

// A link replaces the password, not the second factor of the same login; an
// administrator's ends those of the others.
func TestALinkIsNoWayAroundTheSecondFactor(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	owner := h.join(t, "o@acme.example", "acme", access.Owner)
	p, link := h.invite(t, owner.Principal(), "v@example.com", access.Viewer)
	v, _, err := h.FollowLink(t.Context(), link, mine, access.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	secret, _ := h.app(t, v)
	h.pass(time.Minute)
	_, link, err = h.ResetLink(t.Context(), owner.Principal(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	_, cookie, err := h.FollowLink(t.Context(), link, theirs, access.Browser{})
	step, asked := errors.AsType[*access.SecondStep](err)
	if !asked || cookie != "" {
		t.Fatalf("the owner is in: %q, %v", cookie, err)
	}
	if v, _, err = h.SecondByCode(t.Context(), step.Ticket, h.digits(t, secret), access.Browser{}); err != nil || v.Role != access.Viewer {
		t.Errorf("the person: %v", err)
	}
	// The ticket ends with the password it stands for.
	_, _, err = h.SignIn(t.Context(), "v@example.com", theirs, access.Browser{})
	if step, asked = errors.AsType[*access.SecondStep](err); !asked {
		t.Fatal(err)
	}
	_, link, err = h.ResetLink(t.Context(), admin, p.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.FollowLink(t.Context(), link, mine, access.Browser{}); err != nil {
		t.Errorf("an administrator's link: %v", err)
	}
	h.pass(time.Minute)
	if _, _, err := h.SecondByCode(t.Context(), step.Ticket, h.digits(t, secret), access.Browser{}); code(err) != fault.PermissionDenied {
		t.Errorf("a ticket from before: %v", err)
	}
}
