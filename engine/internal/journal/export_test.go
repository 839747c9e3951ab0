package journal

// MostRoom is the most room, in bytes, that a writer leaves behind its last batch.
const MostRoom = maxRoom + block
