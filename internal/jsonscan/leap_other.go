//go:build !amd64

package jsonscan

const wide = false

func plainWide([]byte) int { return 0 }

func textWide([]byte) (end int, escaped bool) { return 0, false }

func pairWide([]byte, byte, byte) int { return 0 }
