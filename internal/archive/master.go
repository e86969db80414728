package archive

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"
)

// ParseRecipients reads whom a master key is wrapped for: age1… each.
func ParseRecipients(texts []string) ([]age.Recipient, error) {
	list, err := age.ParseRecipients(strings.NewReader(strings.Join(texts, "\n")))
	if err != nil {
		return nil, fmt.Errorf("recipients: %w", err)
	}
	return list, nil
}

// NewIdentity makes who can open wrapped master keys: a secret to keep, and the recipient
// to name when a backup is made.
func NewIdentity() (secret, recipient string, err error) {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		return "", "", fmt.Errorf("make identity: %w", err)
	}
	return id.String(), id.Recipient().String(), nil
}

// SaveMaster saves the master keys' text so that only the recipients can read it.
func (w *Writer) SaveMaster(text string, recipients []age.Recipient) error {
	return w.save(masterName, func(out io.Writer) error {
		plain := armor.NewWriter(out)
		sealed, err := age.Encrypt(plain, recipients...)
		if err != nil {
			return err
		}
		_, err = io.WriteString(sealed, text)
		return errors.Join(err, sealed.Close(), plain.Close())
	})
}

// Master reads the master keys' text with the identities in a file of age's.
func (r *Reader) Master(identities io.Reader) (string, error) {
	list, err := age.ParseIdentities(identities)
	if err != nil {
		return "", fmt.Errorf("identity: %w", err)
	}
	f, err := r.file(masterName)
	if err != nil {
		return "", errors.New("the master key is not in this backup: it was made without a recipient. Give the key with --master-key-file")
	}
	defer f.Close()
	plain, err := age.Decrypt(armor.NewReader(f), list...)
	if err != nil {
		return "", fmt.Errorf("open the master key: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(plain, 4096))
	if err != nil {
		return "", fmt.Errorf("open the master key: %w", err)
	}
	return string(text), nil
}
