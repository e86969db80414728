//go:build torture

package disk

const (
	cuts      = 500
	thorough  = 5
	acts      = 2000
	faultStep = 1
	startStep = 1
	againStep = 1

	backupStep  = 1
	restoreStep = 4 // most of its changes are those of a start
	upgradeStep = 2
	moveStep    = 4
	moveOffStep = 1
	rotateStep  = 1
	waysOfEach  = 4
)
