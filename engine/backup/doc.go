// Package backup copies graphs to a place and restores them from there, while they are
// written.
//
// A [Place] is a folder, or a store of another kind. It holds files under the BLAKE3 of
// their bytes, and for each backup a list of them:
//
//	PLACE/files/<64 hex digits>                            segments, manifests, journals
//	PLACE/<graph>-g<G>-<time>-<32 hex digits>.rete-backup.json    a [Backup]
//	PLACE/backup.lock                                      held while a backup is made
//
// The list is written last, and its own digest is in its name. So a backup that was
// interrupted does not exist; what it copied is found again by the next one. Backups
// of any number of graphs share the files of a place.
//
// What is copied is one state as every reader sees it: the journal's files first, then
// the manifest, then what it names. Segments do not change, so nobody waits; one that was
// collected meanwhile means that the manifest has moved on, and the backup begins again
// with the newer one.
//
// A restored graph is a new one. It has the generations, their commits and their times,
// but a lineage and a journal of its own: two graphs with one lineage could take each
// other's journals and archives for their own.
package backup
