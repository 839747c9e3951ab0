package read

import (
	"errors"
)

// ErrWrong: the file is another segment than the one that its pin names, or its header
// is damaged. It matches the damage sentinel of the module too.
var ErrWrong = errors.New("wrong segment")
