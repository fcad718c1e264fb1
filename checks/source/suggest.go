package source

import "strings"

// Suggest gives the candidate nearest to word, or "" when none is near enough
// to be what was meant: of one letter, there is nothing to be near to.
func Suggest(word string, candidates []string) string {
	limit := min(max(len(word)/3, 1), len(word)-1)
	best, bestDist := "", len(word)+1
	lower := strings.ToLower(word)
	if len(lower) > 64 {
		return ""
	}
	for _, c := range candidates {
		low := strings.ToLower(c)
		d := distance(lower, low)
		// A word that holds a candidate may be further from it: TLS1.3.
		if near := d <= limit || len(c) >= 3 && d <= len(c) && strings.Contains(lower, low); near && d < bestDist {
			best, bestDist = c, d
		}
	}
	return best
}

// DidYouMean is the hint for an unknown word: the nearest candidate, or all of
// them when they are few, or "".
func DidYouMean(word string, candidates []string) string {
	if s := didYouMean(word, candidates); s != "" {
		return s
	}
	if len(candidates) > 0 && len(candidates) <= 40 {
		return "known here: " + strings.Join(candidates, ", ")
	}
	return ""
}

// didYouMean is the hint for an unknown word beside a list of all candidates.
func didYouMean(word string, candidates []string) string {
	if s := Suggest(word, candidates); s != "" {
		return "did you mean " + quote(s) + "?"
	}
	return ""
}

func quote(s string) string { return `"` + s + `"` }

// distance is the optimal string alignment distance: insertions, deletions,
// substitutions and swaps of neighbours each count one.
func distance(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
