package fetch

// MatchPath reports whether a path matches a glob: * is any run of characters
// within one segment, ** any run at all, everything else is itself. The whole
// path has to match. The time is bounded by the product of both lengths.
func MatchPath(glob, path string) bool {
	// reach[i] is whether the part of the glob read so far can match path[:i].
	reach := make([]bool, len(path)+1)
	reach[0] = true
	for g := 0; g < len(glob); g++ {
		switch {
		case glob[g] != '*':
			for i := len(path); i > 0; i-- {
				reach[i] = reach[i-1] && path[i-1] == glob[g]
			}
			reach[0] = false
		case g+1 < len(glob) && glob[g+1] == '*':
			for g+1 < len(glob) && glob[g+1] == '*' {
				g++
			}
			for i := 1; i <= len(path); i++ {
				reach[i] = reach[i] || reach[i-1]
			}
		default:
			for i := 1; i <= len(path); i++ {
				reach[i] = reach[i] || reach[i-1] && path[i-1] != '/'
			}
		}
	}
	return reach[len(path)]
}
