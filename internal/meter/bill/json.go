package bill

import (
	"cmp"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/jsonscan"
)

// wireBucket is what a page of OpenAI's costs, of Anthropic's cost report or of OpenRouter's
// activity has many of. What each calls its own tells which one it is.
type wireBucket struct {
	Start  jsontext.Value `json:"start_time"`  // OpenAI: seconds
	Begins string         `json:"starting_at"` // Anthropic

	Date  string         `json:"date"` // OpenRouter
	Model string         `json:"model"`
	Slug  string         `json:"model_permaslug"`
	Usage jsontext.Value `json:"usage"`
}

type wireResult struct {
	Amount      jsontext.Value `json:"amount"` // OpenAI: an object; Anthropic: cents as text
	Currency    string         `json:"currency"`
	LineItem    string         `json:"line_item"`
	Model       string         `json:"model"`
	Description string         `json:"description"`
}

// readJSON reads a page, or a list of pages as scripts keep them. It reads one row at a
// time: a short export may have millions of empty ones.
func (b *book) readJSON(all []byte) error {
	root, err := jsonscan.Parse(all, jsonscan.Strict)
	if err != nil {
		return fmt.Errorf("%w (%w)", errUnknown, err)
	}
	if root.Kind() == jsonscan.Object {
		err = b.page(root)
	}
	for _, page := range root.Elements() {
		if err == nil {
			err = b.page(page)
		}
	}
	if err == nil && b.bill.Format == "" {
		err = errUnknown
	}
	return err
}

func (b *book) page(page jsonscan.Value) error {
	b.bill.More, _ = page.Get("has_more").Bool()
	for _, v := range page.Get("data").Elements() {
		var w wireBucket
		if err := json.Unmarshal(v.Raw(), &w); err != nil {
			return fmt.Errorf("%w (%w)", errUnknown, err)
		}
		if err := b.addBucket(&w, v.Get("results")); err != nil {
			return err
		}
	}
	return nil
}

func (b *book) addBucket(w *wireBucket, results jsonscan.Value) error {
	switch {
	case w.Begins != "":
		b.bill.Format = "Anthropic cost report"
		return eachResult(results, func(r *wireResult) error {
			return b.add(entry{day: w.Begins, model: cmp.Or(r.Model, r.Description), amount: number(r.Amount), power: -2, currency: r.Currency})
		})
	case w.Start != nil:
		b.bill.Format = "OpenAI costs"
		return eachResult(results, func(r *wireResult) error {
			var amount struct {
				Value    jsontext.Value `json:"value"`
				Currency string         `json:"currency"`
			}
			if err := json.Unmarshal(r.Amount, &amount); err != nil {
				return fmt.Errorf("%w (%w)", errUnknown, err)
			}
			return b.add(entry{day: number(w.Start), model: r.LineItem, amount: number(amount.Value), currency: amount.Currency})
		})
	case w.Date != "" && w.Usage != nil:
		b.bill.Format = "OpenRouter activity"
		return b.add(entry{day: w.Date, model: cmp.Or(w.Slug, w.Model), amount: number(w.Usage)})
	}
	return errUnknown
}

func eachResult(results jsonscan.Value, take func(*wireResult) error) error {
	for _, v := range results.Elements() {
		var r wireResult
		if err := json.Unmarshal(v.Raw(), &r); err != nil {
			return fmt.Errorf("%w (%w)", errUnknown, err)
		}
		if err := take(&r); err != nil {
			return err
		}
	}
	return nil
}

// number is a number that may be written as text; "" where there is none.
func number(v jsontext.Value) string {
	switch v.Kind() {
	case '0':
		return string(v)
	case '"':
		var text string
		if json.Unmarshal(v, &text) == nil {
			return text
		}
	}
	return ""
}
