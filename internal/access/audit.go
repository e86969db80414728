package access

import (
	"time"

	"stele/internal/uid"
)

// Entry is one line of the audit log: who changed what, when. An Entry without
// an action is not written.
type Entry struct {
	ID        string
	At        time.Time
	Actor     string // id of a person, or command-line
	Workspace string
	Action    string // noun.verb: key.rotate
	Target    string // id of what was changed
	Detail    string // a name people recognise it by; never a secret
}

func (s *Service) entry(who Principal, action string, k Key) Entry {
	return Entry{
		ID: uid.New("aud"), At: s.now(), Actor: who.User, Workspace: k.Workspace,
		Action: action, Target: k.ID, Detail: k.Name,
	}
}
