//go:build !torture

package disk

const (
	cuts      = 20  // of the power
	thorough  = 10  // every so many the program is started on what is left
	acts      = 160 // of clients before
	faultStep = 53  // of the changes of a round, every so many is the first that fails
	startStep = 130 // the same of a start
	againStep = 9   // of a start with something in its place

	backupStep  = 150 // and of commands
	restoreStep = 400
	upgradeStep = 120
	moveStep    = 450
	moveOffStep = 4
	rotateStep  = 40
	waysOfEach  = 1
)
