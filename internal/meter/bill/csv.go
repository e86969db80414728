package bill

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// columns are where an export has what counts. Of several names the first that is there
// is taken.
type columns struct {
	format                       string
	sign                         []string // columns that only this export has
	day, model, amount, currency []string
	isModel                      func(row func(names ...string) string) bool // nil: every row is about a model
}

var exports = []columns{
	{
		format: "OpenAI costs", sign: []string{"amount_value"},
		day: []string{"start_time_iso", "start_time"}, model: []string{"line_item"}, amount: []string{"amount_value"}, currency: []string{"amount_currency"},
	},
	{
		format: "Anthropic cost report", sign: []string{"usage_date_utc", "cost_usd"},
		day: []string{"usage_date_utc"}, model: []string{"model", "description"}, amount: []string{"cost_usd"},
	},
	{
		format: "OpenRouter activity", sign: []string{"model_permaslug", "cost_total"},
		day: []string{"created_at", "date"}, model: []string{"model_permaslug"}, amount: []string{"cost_total"},
	},
	{
		format: "OpenRouter activity", sign: []string{"date", "model", "usage"},
		day: []string{"date"}, model: []string{"model_permaslug", "model"}, amount: []string{"usage"},
	},
	{
		format: "Google billing", sign: []string{"sku description", "usage start date"}, isModel: ofGoogleModel,
		day: []string{"usage start date"}, model: []string{"sku description"},
		amount: []string{"unrounded cost ($)", "unrounded subtotal ($)", "cost ($)", "subtotal ($)", "unrounded cost", "cost"}, currency: []string{"currency"},
	},
	{
		format: "Google billing", sign: []string{"sku_description", "usage_start_time"}, isModel: ofGoogleModel,
		day: []string{"usage_start_time"}, model: []string{"sku_description"}, amount: []string{"cost"}, currency: []string{"currency"},
	},
}

// ofGoogleModel reports whether a row of a Google bill, which has all of a project's
// services, is about a model.
func ofGoogleModel(row func(names ...string) string) bool {
	sku := strings.ToLower(row("sku description", "sku_description"))
	return slices.ContainsFunc([]string{"gemini", "gemma", "imagen", "veo ", "lyria", "claude"}, func(name string) bool { return strings.Contains(sku, name) })
}

// mostPreamble is how many lines may stand before the columns: Google's table has a head.
const mostPreamble = 40

func (b *book) readCSV(all []byte) error {
	for line := range bytes.Lines(all) { // a row of nothing but commas takes many times its size
		if bytes.Count(line, []byte{','}) >= mostCells {
			return errUnknown
		}
	}
	r := csv.NewReader(bytes.NewReader(all))
	r.FieldsPerRecord, r.ReuseRecord, r.LazyQuotes = -1, true, true
	var found *columns
	var at map[string]int
	for n := 0; found == nil; n++ {
		row, err := r.Read()
		if err != nil || n > mostPreamble {
			return errUnknown
		}
		at = make(map[string]int, len(row))
		for i, name := range row {
			at[strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), ".", "_")] = i
		}
		found = exportOf(at)
	}
	b.bill.Format = found.format
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the export: %w", err)
		}
		if err := b.take(found, at, row); err != nil {
			return err
		}
	}
}

func exportOf(at map[string]int) *columns {
	for i := range exports {
		all := true
		for _, name := range exports[i].sign {
			_, there := at[name]
			all = all && there
		}
		if all {
			return &exports[i]
		}
	}
	return nil
}

// take adds a row of the table.
func (b *book) take(c *columns, at map[string]int, row []string) error {
	cell := func(names ...string) string {
		for _, name := range names {
			if i, ok := at[name]; ok && i < len(row) {
				if text := strings.TrimSpace(row[i]); text != "" {
					return text
				}
			}
		}
		return ""
	}
	day := cell(c.day...)
	if day == "" || c.isModel != nil && !c.isModel(cell) { // sums at the end of a table have no day
		b.bill.Other++
		return nil
	}
	return b.add(entry{day: day, model: strings.Clone(cell(c.model...)), amount: cell(c.amount...), currency: cell(c.currency...)})
}
