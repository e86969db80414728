//go:build !torture

package disk

const (
	cuts      = 12  // of the power
	thorough  = 6   // every so many the program is started on what is left
	acts      = 160 // of clients before
	faultStep = 97  // of the changes of a round, every so many is the first that fails
	startStep = 331 // the same of a start
	againStep = 13  // of a start with something in its place

	backupStep  = 197 // and of commands
	restoreStep = 701
	upgradeStep = 167
	moveStep    = 701
	moveOffStep = 5
	rotateStep  = 47
	waysOfEach  = 1
)
