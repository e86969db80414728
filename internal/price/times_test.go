package price

import "testing"

func TestAnAmountTimesAFactorIsRoundedOnce(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		amount Amount
		factor string
		want   Amount
	}{
		{1001, "1.25", 1251}, {1002, "1.25", 1253}, {-1002, "1.25", -1253}, {7, "0", 0}, {7, "1", 7}, {3, "0.5", 2}, {1 << 50, "1000", Most}, {Most, "1", Most},
	} {
		factor, err := Parse(test.factor)
		if err != nil {
			t.Fatal(err)
		}
		if got := test.amount.Times(factor); got != test.want {
			t.Errorf("%d times %s is %d, want %d", test.amount, test.factor, got, test.want)
		}
	}
}
