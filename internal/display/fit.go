package display

// Bounds of the columns of a table that has to fit.
const (
	leastColumn = 6  // of a table; with less room each row is written as lines
	lastColumn  = 24 // up to which width columns that are cut last are
)

// fit cuts the widths of columns down to what room has for them, the widest ones first, and
// those that last names last. It reports whether there is room for a table at all.
func fit(widths []int, last []bool, room int) bool {
	sum, fixed, free := 0, 0, 0
	for i, w := range widths {
		sum += w
		if last[i] && w <= lastColumn {
			fixed += w
		} else {
			free++
		}
	}
	if sum <= room {
		return true
	}
	if free == 0 || room-fixed < free*leastColumn {
		fixed, free = 0, len(widths)
		last = make([]bool, len(widths))
	}
	room -= fixed
	if room < min(sum, free*leastColumn) {
		return false
	}
	// The widest columns get what the narrow ones leave, in equal shares.
	done := make([]bool, len(widths))
	for i, w := range widths {
		done[i] = last[i] && w <= lastColumn
	}
	for changed := true; changed && free > 0; {
		changed = false
		for i, w := range widths {
			if !done[i] && w <= room/free {
				done[i], changed = true, true
				room -= w
				free--
				break
			}
		}
	}
	for i := range widths {
		if !done[i] {
			widths[i] = room / free
			room -= widths[i]
			free--
		}
	}
	return true
}
