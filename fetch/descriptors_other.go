//go:build !unix

package fetch

func shortOfFiles() bool { return false }
