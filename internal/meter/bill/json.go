package bill

import (
	"cmp"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// wirePage is a page of OpenAI's costs, of Anthropic's cost report or of OpenRouter's
// activity. What each calls its own tells which one it is.
type wirePage struct {
	Data []wireBucket `json:"data"`
	More bool         `json:"has_more"`
}

type wireBucket struct {
	Start   jsontext.Value `json:"start_time"`  // OpenAI: seconds
	Begins  string         `json:"starting_at"` // Anthropic
	Results []wireResult   `json:"results"`

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

// readJSON reads a page, or a list of pages as scripts keep them.
func (b *book) readJSON(all []byte) error {
	var pages []wirePage
	if all[0] == '{' {
		pages = make([]wirePage, 1)
		if err := json.Unmarshal(all, &pages[0]); err != nil {
			return fmt.Errorf("%w (%w)", ErrUnknown, err)
		}
	} else if err := json.Unmarshal(all, &pages); err != nil {
		return fmt.Errorf("%w (%w)", ErrUnknown, err)
	}
	for i, page := range pages {
		b.bill.More = page.More && i == len(pages)-1
		for j := range page.Data {
			if err := b.bucket(&page.Data[j]); err != nil {
				return err
			}
		}
	}
	if b.bill.Format == "" {
		return ErrUnknown
	}
	return nil
}

func (b *book) bucket(w *wireBucket) error {
	switch {
	case w.Begins != "":
		b.bill.Format = "Anthropic cost report"
		for _, r := range w.Results {
			e := entry{day: w.Begins, model: cmp.Or(r.Model, r.Description), amount: number(r.Amount), power: -2, currency: r.Currency}
			if err := b.add(e); err != nil {
				return err
			}
		}
	case w.Start != nil:
		b.bill.Format = "OpenAI costs"
		for _, r := range w.Results {
			var amount struct {
				Value    jsontext.Value `json:"value"`
				Currency string         `json:"currency"`
			}
			if err := json.Unmarshal(r.Amount, &amount); err != nil {
				return fmt.Errorf("%w (%w)", ErrUnknown, err)
			}
			if err := b.add(entry{day: number(w.Start), model: r.LineItem, amount: number(amount.Value), currency: amount.Currency}); err != nil {
				return err
			}
		}
	case w.Date != "" && w.Usage != nil:
		b.bill.Format = "OpenRouter activity"
		return b.add(entry{day: w.Date, model: cmp.Or(w.Slug, w.Model), amount: number(w.Usage)})
	default:
		return ErrUnknown
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
