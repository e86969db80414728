//go:build torture

package disk

const (
	cuts      = 500
	thorough  = 5
	acts      = 2000
	faultStep = 1
	startStep = 3
)
