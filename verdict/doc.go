// Package verdict judges what a failed trip says about its origin.
//
// Of is a pure function of typed facts found along an error chain: the kind,
// then a local cause, then the declared answer rule. The package must never know the network, files, formats
// or the wording of any error.
package verdict
