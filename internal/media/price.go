package media

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"stele/internal/price"
)

// unit is a USD in billionths.
const unit = int64(price.USD)

// Units lists what prices may be for. Every output counts for itself where the
// operation has a parameter n. A megapixel is counted whole, from the parameters
// width and height; without them a picture is one.
func Units() []string { return []string{"request", "image", "second", "character", "megapixel"} }

// Nano is what a request costs in billionths of a USD, rounded up. The parameters
// are those that Check gave.
func (o *Operation) Nano(prompt string, parameters map[string]any) int64 {
	p := &o.Price
	figure := p.USD
	if listed, ok := p.Table[Key(parameters, p.By)]; ok && len(p.By) > 0 {
		figure = listed
	}
	outputs, units := big.NewRat(1, 1), big.NewRat(1, 1)
	if n, ok := rational(parameters["n"]); ok && p.Per != "" && p.Per != "request" && p.Per != "character" {
		outputs = n
	}
	switch p.Per {
	case "image":
		if n, ok := rational(parameters[p.Of]); ok && p.Of != "" {
			outputs = n
		}
	case "second":
		if n, ok := rational(parameters[p.counter()]); ok {
			units = n
		}
	case "character":
		text := prompt
		if p.counter() != "prompt" {
			text, _ = parameters[p.counter()].(string)
		}
		units.SetInt64(int64(utf8.RuneCountInString(text)))
	case "megapixel":
		units = megapixels(parameters)
	}
	price := new(big.Rat).Mul(units, rat(figure))
	if one := big.NewRat(1, 1); p.First != 0 && units.Sign() > 0 {
		more := new(big.Rat).Sub(units, one)
		if more.Sign() < 0 {
			more.SetInt64(0)
		}
		price.Add(rat(p.First), more.Mul(more, rat(figure)))
	}
	return ceil(price.Mul(price, outputs), math.MaxInt64)
}

// Least is the least that a unit costs; 0 where none costs anything.
func (p *Price) Least() price.Amount {
	least := p.USD
	for _, figure := range p.Table {
		if figure > 0 && (least == 0 || figure < least) {
			least = figure
		}
	}
	return least
}

// counter is the field that counts the units.
func (p *Price) counter() string {
	switch {
	case p.Of != "":
		return p.Of
	case p.Per == "second":
		return "duration"
	case p.Per == "character":
		return "prompt"
	case p.Per == "image":
		return "n"
	}
	return ""
}

// Credits is a price in credits, rounded up, from 0 to 2^31-1.
func Credits(nano int64, perUSD float64) int64 {
	each, ok := rational(perUSD)
	if nano <= 0 || !ok || each.Sign() <= 0 {
		return 0
	}
	return ceil(each.Mul(each, big.NewRat(nano, unit)), math.MaxInt32)
}

// FromCredits is what so many credits are worth, in billionths of a USD, rounded down.
func FromCredits(credits int64, perUSD float64) int64 {
	each, ok := rational(perUSD)
	if credits <= 0 || !ok || each.Sign() <= 0 {
		return 0
	}
	worth := new(big.Rat).Quo(new(big.Rat).Mul(big.NewRat(credits, 1), big.NewRat(unit, 1)), each)
	n := new(big.Int).Quo(worth.Num(), worth.Denom())
	if !n.IsInt64() {
		return math.MaxInt64
	}
	return n.Int64()
}

func megapixels(parameters map[string]any) *big.Rat {
	width, ok := rational(parameters["width"])
	height, also := rational(parameters["height"])
	if !ok || !also || width.Sign() <= 0 || height.Sign() <= 0 {
		return big.NewRat(1, 1)
	}
	area := width.Mul(width, height)
	return new(big.Rat).SetInt64(ceil(area.Mul(area, big.NewRat(1, 1_000_000)), math.MaxInt64))
}

func rat(a price.Amount) *big.Rat { return new(big.Rat).SetInt64(int64(a)) }

// rational is a value as an exact number: what its shortest decimal says, not what
// binary makes of it. Texts count by the number they begin with: 10, 10s.
func rational(v any) (*big.Rat, bool) {
	switch n := v.(type) {
	case int64:
		return new(big.Rat).SetInt64(n), true
	case float64:
		if math.Abs(n) > math.MaxInt64 || math.IsNaN(n) {
			return new(big.Rat).SetInt64(math.MaxInt64), n > 0
		}
		return new(big.Rat).SetString(strconv.FormatFloat(n, 'f', -1, 64))
	case string:
		digits := n[:len(n)-len(strings.TrimLeft(n, "0123456789."))]
		f, err := strconv.ParseFloat(digits, 64)
		if err != nil {
			return nil, false
		}
		return rational(f)
	}
	return nil, false
}

// ceil rounds up to a whole number, and down to the most there may be.
func ceil(r *big.Rat, most int64) int64 {
	quotient, rest := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		quotient.Add(quotient, big.NewInt(1))
	}
	if !quotient.IsInt64() || quotient.Int64() > most {
		return most
	}
	return quotient.Int64()
}
