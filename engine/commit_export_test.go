package engine

// SecondFile returns another handle of a manifest, as another process has it.
func SecondFile(f *ManifestFile) *ManifestFile { return newManifestFile(f.mux, f.place, f.name) }
