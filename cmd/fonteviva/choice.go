package main

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks/source"
)

// choice is a flag value that is one of a few words.
type choice struct {
	value string
	words []string
}

func newChoice(value string, words ...string) *choice { return &choice{value: value, words: words} }

// String gives the chosen word.
func (c *choice) String() string { return c.value }

// Type names the value in help texts.
func (c *choice) Type() string { return "word" }

// Set takes one of the words and suggests the nearest for any other.
func (c *choice) Set(s string) error {
	if !slices.Contains(c.words, s) {
		want := "expected " + strings.Join(c.words, " or ")
		if near := source.Suggest(s, c.words); near != "" {
			want += "; did you mean " + strconv.Quote(near) + "?"
		}
		return errors.New(want)
	}
	c.value = s
	return nil
}
