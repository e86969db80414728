package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/assembly"
	"stele/internal/limit"
	"stele/internal/media"
	"stele/internal/price"
	"stele/internal/wire"
)

func (p *program) credits() *cobra.Command {
	return group("credits", "Grant and show what workspaces have paid in advance", p.creditsGrant(), p.creditsList(), p.creditsShow())
}

// wireBalance is what a workspace has left of its credits, as scripts read it.
type wireBalance struct {
	Workspace string      `json:"workspace"`
	Limit     string      `json:"limit"`
	Amount    string      `json:"amount_usd"` // granted and not lapsed
	Settled   string      `json:"settled_usd"`
	Held      string      `json:"held_usd"` // by calls under way, and by servers for those to come
	Doubt     string      `json:"in_doubt_usd"`
	Left      string      `json:"left_usd"`
	Credits   int64       `json:"left_credits"`
	Grants    []wireGrant `json:"grants,omitempty"`
}

// wireGrant is a grant as scripts read it.
type wireGrant struct {
	ID        string  `json:"id"`
	Workspace string  `json:"workspace"`
	Amount    string  `json:"amount_usd"`
	Lapsed    string  `json:"lapsed_usd"`
	ExpiresAt *string `json:"expires_at"`
	Expired   bool    `json:"expired"`
	Note      string  `json:"note"`
	GrantedBy string  `json:"granted_by"`
	CreatedAt string  `json:"created_at"`
}

func toWireGrant(g limit.Grant) wireGrant {
	return wireGrant{
		ID: g.ID, Workspace: g.Workspace, Amount: price.Amount(g.Nano).Decimal(), Lapsed: price.Amount(g.Lapsed).Decimal(), ExpiresAt: maybe(g.Expires), Expired: g.Closed,
		Note: g.Note, GrantedBy: g.By, CreatedAt: wire.Time(g.Created),
	}
}

func (p *program) creditsGrant() *cobra.Command {
	var g limit.Grant
	var amount string
	var credits int64
	var life time.Duration
	c := p.onInstallation(jsonFlag(&cobra.Command{
		Use: "grant", Short: "Add to what a workspace has paid in advance", Args: cobra.NoArgs,
		Long: "Add to what a workspace has paid in advance. From its first grant on, a workspace can spend no more than it was granted.\n" +
			"What is spent comes from the grants that expire first; what is left of one that expires is gone.",
		Example: "  stele credits grant --workspace acme --amount 10\n  stele credits grant --workspace acme --credits 500 --expires 720h --note 'a gift'",
	}), func(c *cobra.Command, h *assembly.Installation, _ []string) error {
		switch {
		case (amount == "") == (credits == 0):
			return errors.New("give either --amount or --credits")
		case amount != "":
			dollars, err := price.Parse(price.Ungroup(amount))
			if err != nil {
				return fmt.Errorf("--amount %s: %w", amount, err)
			}
			g.Nano = int64(dollars)
		default:
			g.Nano = media.FromCredits(credits, h.Config.CreditsPerUSD)
		}
		if life > 0 {
			g.Expires = time.Now().Add(life).UTC().Truncate(time.Millisecond)
		}
		made, err := h.Limits().Grant(c.Context(), operator(), g)
		if err != nil {
			return err
		}
		return say(c, toWireGrant(made), "granted $%s to %s: %s\n", price.Amount(made.Nano).Decimal(), made.Workspace, made.ID)
	})
	c.Flags().StringVar(&g.Workspace, "workspace", "", "whose credits")
	c.Flags().StringVar(&amount, "amount", "", "how many dollars, such as 12.50")
	c.Flags().Int64Var(&credits, "credits", 0, "how many credits (credits_per_usd of them are a dollar)")
	c.Flags().DurationVar(&life, "expires", 0, "after how long what is left of it is gone, such as 720h (default never)")
	c.Flags().StringVar(&g.Note, "note", "", "what it is for")
	return c
}

func (p *program) creditsList() *cobra.Command {
	return p.onInstallation(jsonFlag(&cobra.Command{Use: "list", Short: "List what workspaces have left", Args: cobra.NoArgs}),
		func(c *cobra.Command, h *assembly.Installation, _ []string) error {
			all, err := h.Limits().List(c.Context(), operator(), "")
			if err != nil {
				return err
			}
			list := []wireBalance{}
			for _, l := range all {
				if !l.Credits {
					continue
				}
				w, err := readBalance(c, h, l)
				if err != nil {
					return err
				}
				list = append(list, w)
			}
			return printTable(c, list, "No workspace has credits: stele credits grant gives some.", "WORKSPACE\tLEFT\tCREDITS\tHELD\tSPENT\tIN DOUBT", balanceRow)
		})
}

func balanceRow(w wireBalance) []string {
	return []string{w.Workspace, "$" + w.Left, fmt.Sprint(w.Credits), "$" + w.Held, "$" + w.Settled, "$" + w.Doubt}
}

func readBalance(c *cobra.Command, h *assembly.Installation, l limit.Limit) (wireBalance, error) {
	w := wireBalance{Workspace: l.Workspace, Limit: l.ID, Amount: price.Amount(l.Amount).Decimal()}
	_, list, err := h.Limits().Standings(c.Context(), operator(), l.ID, 1)
	st := limit.Standing{Left: l.Amount} // nothing was spent yet
	if len(list) > 0 {
		st = list[0]
	}
	b := st.Balance
	w.Settled, w.Held, w.Doubt, w.Left = price.Amount(b.Settled).Decimal(), price.Amount(b.Leased+b.Held).Decimal(), price.Amount(b.Doubt).Decimal(), price.Amount(st.Left).Decimal()
	w.Credits = media.Credits(st.Left, h.Config.CreditsPerUSD)
	return w, err
}

func (p *program) creditsShow() *cobra.Command {
	return p.onInstallation(jsonFlag(&cobra.Command{Use: "show WORKSPACE", Short: "Show what a workspace was granted and has left", Args: cobra.ExactArgs(1)}),
		func(c *cobra.Command, h *assembly.Installation, args []string) error {
			l, err := h.Limits().Find(c.Context(), operator(), limit.CreditLimit(args[0], time.Now()).ID)
			if err != nil {
				return fmt.Errorf("%s has no credits", args[0])
			}
			w, err := readBalance(c, h, l)
			if err != nil {
				return err
			}
			grants, err := h.Limits().Grants(c.Context(), operator(), args[0])
			if err != nil {
				return err
			}
			w.Grants = each(grants, toWireGrant)
			if wantsJSON(c) {
				return printJSON(c, w)
			}
			fmt.Fprintf(c.OutOrStdout(), "%s has $%s (%d credits) left of $%s; $%s is held\n", w.Workspace, w.Left, w.Credits, w.Amount, w.Held)
			return printTable(c, w.Grants, "", "ID\tAMOUNT\tLAPSED\tEXPIRES\tGRANTED\tNOTE", func(g wireGrant) []string {
				return []string{g.ID, "$" + g.Amount, "$" + g.Lapsed, orText(g.ExpiresAt, "never"), g.CreatedAt, g.Note}
			})
		})
}
