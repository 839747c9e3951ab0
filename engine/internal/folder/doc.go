// Package folder knows what the files of a directory are to each other: which of
// them are manifests, whatever their names are, and which files these name.
//
// A [Scanner] finds the manifests. [Names] are the files that manifests name, by
// path and by what they are: a file has several names where symbolic links, hard
// links or a file system without upper and lower case lead to it. [Lock] keeps
// what names files of a directory apart from what deletes files there.
package folder
