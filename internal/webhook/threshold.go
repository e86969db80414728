package webhook

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"stele/internal/limit"
	"stele/internal/price"
	"stele/internal/revision"
	"stele/internal/wire"
)

// Subscriber tells of thresholds as they are passed.
func (s *Service) Subscriber() revision.Subscriber {
	return revision.Subscriber{What: "messages about limits", Of: []string{"thresholds"}, CatchUp: s.Tell}
}

// Tell writes the messages of all thresholds of which no subscriber was told yet.
func (s *Service) Tell(ctx context.Context) error {
	for {
		if n, err := s.Store.TellThresholds(ctx, s.Mail != nil); n == 0 || err != nil {
			return err
		}
	}
}

// reached is a message of limit.reached.
type reached struct {
	Type string      `json:"type"`
	At   string      `json:"timestamp"`
	Data reachedData `json:"data"`
}

type reachedData struct {
	Limit       string           `json:"limit"`
	Name        string           `json:"name"`
	Workspace   *string          `json:"workspace"` // null: the installation
	Subject     []limit.Selector `json:"subject"`   // none: all calls together
	Measure     limit.Measure    `json:"measure"`
	Window      limit.Window     `json:"window"`
	WindowStart *string          `json:"window_start"` // null: for ever
	WindowEnd   *string          `json:"window_end"`
	Percentage  int              `json:"percentage"`
	Amount      string           `json:"amount"` // of dollars in USD
	Used        string           `json:"used"`
	Soft        bool             `json:"soft"`
}

// ThresholdPassed is the event of a threshold that was passed.
func ThresholdPassed(p limit.Passed) Event {
	l := &p.Limit
	m := reached{Type: LimitReached, At: wire.Time(p.At), Data: reachedData{
		Limit: l.ID, Name: l.Name, Subject: l.Subjects(p.Subject), Measure: l.Measure, Window: l.Window,
		Percentage: p.Mark, Amount: l.Count(p.Amount), Used: l.Count(p.Used), Soft: l.Soft,
	}}
	if l.Workspace != "" {
		m.Data.Workspace = &l.Workspace
	}
	if !p.End.IsZero() {
		start, end := wire.Time(p.Start), wire.Time(p.End)
		m.Data.WindowStart, m.Data.WindowEnd = &start, &end
	}
	return Event{Workspace: l.Workspace, Type: LimitReached, Subject: l.ID, At: p.At, Body: func() []byte {
		body, err := json.Marshal(m)
		if err != nil {
			panic(err) // it is made of texts and numbers
		}
		return body
	}}
}

// letter is a message as people read it in their mail.
func letter(d *Delivery) (Mail, error) {
	var m reached
	if err := json.Unmarshal(d.Body, &m); err != nil || m.Type != LimitReached {
		return Mail{}, fmt.Errorf("a message of type %q is not sent by mail", d.Type)
	}
	v := m.Data
	unit := " " + strings.ReplaceAll(string(v.Measure), "_", " ")
	dollar := ""
	if v.Measure == limit.Dollars {
		unit, dollar = "", "$"
	}
	used, amount := dollar+price.GroupThousands(v.Used), dollar+price.GroupThousands(v.Amount)
	var b strings.Builder
	fmt.Fprintf(&b, "%d %% of the limit %q are used: %s of %s%s.\n\n", v.Percentage, v.Name, used, amount, unit)
	if v.Workspace != nil {
		fmt.Fprintf(&b, "Workspace: %s\n", *v.Workspace)
	} else {
		b.WriteString("Workspace: all of the installation\n")
	}
	for _, s := range v.Subject {
		fmt.Fprintf(&b, "%s: %s\n", s.By, s.Value)
	}
	if v.WindowEnd != nil {
		fmt.Fprintf(&b, "It begins anew: %s\n", *v.WindowEnd)
	}
	fmt.Fprintf(&b, "Limit: %s\nPassed: %s\n", v.Limit, m.At)
	if v.Percentage >= 100 && !v.Soft {
		b.WriteString("\nCalls that fall under it are refused until then.\n")
	}
	return Mail{ID: d.ID, Subject: fmt.Sprintf("%d %% of %s", v.Percentage, v.Name), Text: b.String()}, nil
}
