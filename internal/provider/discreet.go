package provider

import (
	"errors"
	"net/url"
	"strings"

	"stele/internal/fault"
)

// privateTexts is what of an account an upstream may repeat in its errors, and which must not be
// read: not by the client, not even in the log.
func privateTexts(a Account) []string {
	var list []string
	if len(a.Key) > 3 {
		list = append(list, a.Key)
	}
	if u, err := url.Parse(a.BaseURL); err == nil && u.Host != "" {
		list = append(list, a.BaseURL, u.Host)
	}
	return list
}

// hidePrivate makes an error tell nothing of the account, in the words of the
// contract.
func (c *Chat) hidePrivate(err error) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	hidden := make([]string, 0, 2*len(c.private))
	for _, secret := range c.private {
		hidden = append(hidden, secret, "…")
	}
	hide := strings.NewReplacer(hidden...)
	e.Message = hide.Replace(e.Message)
	if e.Err != nil {
		if text := e.Err.Error(); hide.Replace(text) != text {
			e.Err = &reworded{hide.Replace(text), e.Err}
		}
	}
	return err
}

// reworded is an error that says something else, and still is what it was.
type reworded struct {
	text string
	err  error
}

func (r *reworded) Error() string { return r.text }

// Unwrap gives the error in its own words.
func (r *reworded) Unwrap() error { return r.err }
