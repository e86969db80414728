package manifest

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes. A file writes it as 32MB, 1GB or plain bytes; each
// unit is 1024 times the one before, so 1MB is 1,048,576 bytes.
type Size int64

// The units of a Size.
const (
	KB Size = 1 << (10 * (iota + 1))
	MB
	GB
	TB
)

var errSize = errors.New("expected a size such as 32MB, 1GB or 65536")

// UnmarshalText reads a size as a file writes it.
func (s *Size) UnmarshalText(text []byte) error {
	digits, unit := strings.ToUpper(strings.TrimSpace(string(text))), Size(1)
	for _, u := range units() {
		if rest, ok := strings.CutSuffix(digits, u.name); ok {
			digits, unit = strings.TrimSpace(rest), u.size
			break
		}
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || n > math.MaxInt64/uint64(unit) {
		return errSize
	}
	*s = Size(n) * unit
	return nil
}

// String returns the size in the largest unit that divides it: 32MB, 1000.
func (s Size) String() string {
	for _, u := range units() {
		if s != 0 && s%u.size == 0 && u.size > 1 {
			return strconv.FormatInt(int64(s/u.size), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

type unit struct {
	name string
	size Size
}

// units are in the order to try them: B ends all the others.
func units() []unit { return []unit{{"TB", TB}, {"GB", GB}, {"MB", MB}, {"KB", KB}, {"B", 1}} }
