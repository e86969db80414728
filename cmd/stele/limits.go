package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/assembly"
	"stele/internal/limit"
	"stele/internal/price"
	"stele/internal/wire"
)

func (p *program) limits() *cobra.Command {
	return group("limits", "List, make and change what callers may take", p.limitsList(), p.limitsShow(), p.limitsCreate(), p.limitsSet(), p.limitsDelete())
}

// wireLimit is a limit as scripts read it.
type wireLimit struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Workspace *string        `json:"workspace"` // null: the whole installation
	Measure   string         `json:"measure"`
	Window    string         `json:"window"`
	Amount    string         `json:"amount"` // of dollars in USD
	Subject   []string       `json:"subject"`
	Kind      string         `json:"kind"` // hard or soft
	Refuse    bool           `json:"refuse"`
	Unpriced  bool           `json:"unpriced"`
	Marks     []int          `json:"thresholds"`
	Zone      string         `json:"time_zone"`
	CreatedAt string         `json:"created_at"`
	Standings []wireStanding `json:"standings,omitempty"`
}

// wireStanding is how a limit stands for one subject.
type wireStanding struct {
	Subject string  `json:"subject"`
	Settled string  `json:"settled"`
	Held    string  `json:"held"` // by calls under way, and by servers for those to come
	Doubt   string  `json:"in_doubt"`
	Left    string  `json:"left"`
	From    string  `json:"from"`
	Until   *string `json:"until"`
}

func toWireLimit(l limit.Limit) wireLimit {
	w := wireLimit{
		ID: l.ID, Name: l.Name, Workspace: textOrNil(l.Workspace), Measure: string(l.Measure), Window: string(l.Window), Amount: l.Count(l.Amount), Kind: "hard",
		Refuse: l.Refuse, Unpriced: l.Unpriced, Marks: l.Marks, Zone: l.Zone, CreatedAt: wire.Time(l.Created), Subject: []string{},
	}
	if l.Soft {
		w.Kind = "soft"
	}
	for _, s := range l.Subject {
		w.Subject = append(w.Subject, string(s.By)+"="+s.Value)
	}
	return w
}

func toWireStanding(st limit.Standing) wireStanding {
	b := st.Balance
	return wireStanding{
		Subject: strings.ReplaceAll(st.Subject, "\n", ", "), Settled: st.Limit.Count(b.Settled), Held: st.Limit.Count(b.Leased + b.Held),
		Doubt: st.Limit.Count(b.Doubt), Left: st.Limit.Count(st.Left), From: wire.Time(st.Start), Until: maybe(st.End),
	}
}

func (p *program) limitsList() *cobra.Command {
	var workspace string
	c := p.onInstallation(jsonFlag(&cobra.Command{Use: "list", Short: "List limits", Args: cobra.NoArgs}),
		func(c *cobra.Command, h *assembly.Installation, _ []string) error {
			list, err := h.Limits().List(c.Context(), operator(), workspace)
			if err != nil {
				return err
			}
			return printTable(c, each(list, toWireLimit), "There are no limits.", "ID\tNAME\tWORKSPACE\tLIMIT\tOF\tKIND", func(w wireLimit) []string {
				return []string{w.ID, w.Name, orText(w.Workspace, "(all)"), w.Amount + " " + w.Measure + " / " + w.Window, strings.Join(w.Subject, " "), w.Kind}
			})
		})
	c.Flags().StringVar(&workspace, "workspace", "", "only those that its calls fall under")
	return c
}

func (p *program) limitsShow() *cobra.Command {
	return p.onInstallation(jsonFlag(&cobra.Command{Use: "show ID", Short: "Show a limit and what was taken of it", Args: cobra.ExactArgs(1)}),
		func(c *cobra.Command, h *assembly.Installation, args []string) error {
			l, list, err := h.Limits().Standings(c.Context(), operator(), args[0], 100)
			if err != nil {
				return err
			}
			w := toWireLimit(l)
			w.Standings = each(list, toWireStanding)
			if wantsJSON(c) {
				return printJSON(c, w)
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: %s\n", l.Name, l.Text())
			return printTable(c, w.Standings, "Nothing was taken yet.", "SUBJECT\tSETTLED\tHELD\tIN DOUBT\tLEFT\tUNTIL", func(s wireStanding) []string {
				return []string{s.Subject, s.Settled, s.Held, s.Doubt, s.Left, orText(s.Until, "-")}
			})
		})
}

// limitFlags are those that make and change limits.
type limitFlags struct {
	name, amount           string
	soft, refuse, unpriced bool
	marks                  []int
}

func (f *limitFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.name, "name", "", "what errors and pages call it")
	c.Flags().StringVar(&f.amount, "amount", "", "how much: dollars such as 12.50, else a whole number")
	c.Flags().BoolVar(&f.soft, "soft", false, "only tell, let pass")
	c.Flags().BoolVar(&f.refuse, "refuse", false, "refuse an answer that cannot be paid in full, rather than shorten it")
	c.Flags().BoolVar(&f.unpriced, "allow-unpriced", false, "let models without a price pass a limit in dollars")
	c.Flags().IntSliceVar(&f.marks, "threshold", nil, "note when so many percent are passed (default 50,80,100)")
}

// apply puts the flags that were given into a limit.
func (f *limitFlags) apply(c *cobra.Command, l *limit.Limit) error {
	take(c, "name", &l.Name, f.name)
	take(c, "soft", &l.Soft, f.soft)
	take(c, "refuse", &l.Refuse, f.refuse)
	take(c, "allow-unpriced", &l.Unpriced, f.unpriced)
	take(c, "threshold", &l.Marks, f.marks)
	if !c.Flags().Changed("amount") {
		return nil
	}
	if l.Measure == limit.Dollars {
		amount, err := price.Parse(price.Ungroup(f.amount))
		if err != nil {
			return fmt.Errorf("--amount %s: %w", f.amount, err)
		}
		l.Amount = int64(amount)
		return nil
	}
	n, err := strconv.ParseInt(price.Ungroup(f.amount), 10, 64)
	if err != nil {
		return fmt.Errorf("--amount %s is not a whole number", f.amount)
	}
	l.Amount = n
	return nil
}

func (p *program) limitsCreate() *cobra.Command {
	var f limitFlags
	var l limit.Limit
	var subject []string
	c := p.onInstallation(jsonFlag(&cobra.Command{
		Use: "create", Short: "Make a limit", Args: cobra.NoArgs,
		Long: "Make a limit: how much of what may be taken in which time, and by whom. A call must pass all limits it falls under.\n" +
			"--of tells calls apart: key=key_…, person=usr_…, user=NAME, tag:team=NAME, model=ID, provider=NAME, workspace=ID; * is each for itself.",
		Example: "  stele limits create --name budget --workspace acme --measure dollars --window month --amount 500\n" +
			"  stele limits create --name rate --measure requests --window minute --amount 600 --of 'key=*'",
	}), func(c *cobra.Command, h *assembly.Installation, _ []string) error {
		for _, text := range subject {
			by, value, ok := strings.Cut(text, "=")
			if !ok {
				return fmt.Errorf("--of %s: write it as key=VALUE", text)
			}
			l.Subject = append(l.Subject, limit.Selector{By: limit.Dimension(by), Value: value})
		}
		if f.amount == "" {
			return errors.New("--amount is missing")
		}
		if err := f.apply(c, &l); err != nil {
			return err
		}
		made, err := h.Limits().Create(c.Context(), operator(), l)
		if err != nil {
			return err
		}
		return say(c, toWireLimit(made), "made %s: %s\n", made.ID, made.Text())
	})
	f.add(c)
	c.Flags().StringVar(&l.Workspace, "workspace", "", "whose calls it is about (default: everybody's)")
	c.Flags().StringVar((*string)(&l.Measure), "measure", string(limit.Dollars), "what is counted: "+words(limit.Measures()))
	c.Flags().StringVar((*string)(&l.Window), "window", "", "when it begins anew: "+words(limit.Windows()))
	c.Flags().StringVar(&l.Zone, "time-zone", "", "whose calendar, such as Europe/Berlin (default UTC)")
	c.Flags().StringArrayVar(&subject, "of", nil, "which calls, such as 'key=*' or model=fast; may be repeated")
	return c
}

func words[T ~string](list []T) string {
	return strings.Join(each(list, func(v T) string { return string(v) }), ", ")
}

func (p *program) limitsSet() *cobra.Command {
	var f limitFlags
	c := p.onInstallation(jsonFlag(&cobra.Command{
		Use: "set ID", Short: "Change a limit", Args: cobra.ExactArgs(1),
		Long: "Change the name, the amount or the manner of a limit. What it counts, and of whom, stays: make another one for that.",
	}), func(c *cobra.Command, h *assembly.Installation, args []string) error {
		l, err := h.Limits().Find(c.Context(), operator(), args[0])
		if err == nil {
			err = f.apply(c, &l)
		}
		if err != nil {
			return err
		}
		if l, err = h.Limits().Change(c.Context(), operator(), l); err != nil {
			return err
		}
		return say(c, toWireLimit(l), "%s: %s\n", l.ID, l.Text())
	})
	f.add(c)
	return c
}

func (p *program) limitsDelete() *cobra.Command {
	return p.onInstallation(jsonFlag(&cobra.Command{Use: "delete ID", Short: "Take a limit away", Args: cobra.ExactArgs(1)}),
		func(c *cobra.Command, h *assembly.Installation, args []string) error {
			if err := h.Limits().Delete(c.Context(), operator(), args[0]); err != nil {
				return err
			}
			return say(c, map[string]string{"id": args[0]}, "%s is gone; servers that run follow within %s\n", args[0], time.Second)
		})
}
