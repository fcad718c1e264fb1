// Package jsonschema compiles JSON Schemas (2020-12 and draft-07) and
// validates the text of an answer with them.
//
// It works on an indexed jsonpath.Document: nothing is decoded into Go values
// but what a keyword compares, numbers keep their digits, and every fault is
// found, with its place. It is our own because the libraries at hand either
// stop at the first fault and decode numbers into float64, or spend more on
// compiling their metaschemas at every start of the program than the rest of
// it together. One of them is the second opinion of the tests.
//
// A reference leads to a file that the loader gives, and never to the network.
// The package must never know what a fault leads to.
package jsonschema
