package price_test

import (
	"testing"

	"stele/internal/price"
)

func TestMoneyIsWrittenAsPeopleReadIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amount                                  price.Amount
		decimal, dollars, exact, rounded, short string
	}{
		{0, "0.00", "$0.00", "$0", "$0.00", "$0.00"},
		{1e9, "1.00", "$1.00", "$1", "$1.00", "$1.00"},
		{1_500_000_000, "1.50", "$1.50", "$1.5", "$1.50", "$1.50"},
		{1, "0.000000001", "$0.000000001", "$0.000000001", "$0.000000001", "$0.000000001"},
		{123_456_789, "0.123456789", "$0.123456789", "$0.123456789", "$0.123", "$0.123"},
		{-12_340_000_000, "-12.34", "-$12.34", "$-12.34", "$-12.34", "$-12.34"},
		{1_234_500_000_000, "1234.50", "$1,234.50", "$1234.5", "$1,234.50", "$1,235"},
	} {
		for _, written := range [][2]string{
			{c.amount.Decimal(), c.decimal},
			{c.amount.Dollars(), c.dollars},
			{c.amount.Exact(), c.exact},
			{c.amount.Rounded(), c.rounded},
			{c.amount.Short(), c.short},
		} {
			if written[0] != written[1] {
				t.Errorf("%d: %s, want %s", int64(c.amount), written[0], written[1])
			}
		}
	}
}
