package report

import "slices"

// The exit codes.
const (
	ExitOK         = 0
	ExitContract   = 1  // drift or respondeu
	ExitUsage      = 2  // the command or the declaration is wrong; nothing was asked
	ExitOwn        = 3  // alheio
	ExitAmbiguous  = 4  // ambiguo failed under the policy
	ExitUnmeasured = 5  // not enough was measured
	ExitOutput     = 74 // a requested output could not be written (EX_IOERR of sysexits)
	ExitTemporary  = 75 // indisponivel failed under the policy (EX_TEMPFAIL of sysexits)
	ExitInterrupt  = 130
	ExitTerminate  = 143

	// ExitUnknown is a monitoring plugin's word for everything that kept it from
	// knowing, a wrong command line included; only format nagios has it.
	ExitUnknown = nagiosUnknown
)

// exitOrder is who wins where several things failed.
var exitOrder = []int{ExitContract, ExitOwn, ExitUnmeasured, ExitAmbiguous, ExitTemporary, ExitOutput, ExitOK}

// Worst gives the code that outranks the others: a signal's, then 1, 3, 5, 4,
// 75, 74; 0 when there is none.
func Worst(codes ...int) int {
	best := ExitOK
	for _, c := range codes {
		if exitRank(c) < exitRank(best) {
			best = c
		}
	}
	return best
}

// exitRank orders exit codes, the strongest first; one outside the order is a
// signal's and comes before all: -1.
func exitRank(code int) int { return slices.Index(exitOrder, code) }
