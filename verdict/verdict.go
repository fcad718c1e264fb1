package verdict

import "github.com/fonteviva/fonteviva/fetch"

// Verdict is what a failed trip says about the origin.
type Verdict string

// The four verdicts.
const (
	// Indisponivel: the source is down or unreachable; try again later.
	Indisponivel Verdict = "indisponivel"
	// Respondeu: the source answered, and the answer refuses this request.
	Respondeu Verdict = "respondeu"
	// Ambiguo: one trip cannot tell; it has to be repeated.
	Ambiguo Verdict = "ambiguo"
	// Alheio: our own side failed; nothing is said about the source.
	Alheio Verdict = "alheio"
)

// Delivery is the judgement of one trip. The zero Delivery is a trip that
// delivered: there is nothing to judge.
type Delivery struct {
	Verdict Verdict
	// Motivo is one sentence in Brazilian Portuguese for the log. Nothing may
	// be decided by it.
	Motivo string
	Kind   fetch.Kind // "" when the error is not one of package fetch
	Status int        // HTTP status, 0 when none arrived
	URL    string
}

// byKind is the last column of the classification table.
var byKind = map[fetch.Kind]Verdict{
	fetch.Timeout:       Indisponivel,
	fetch.Network:       Indisponivel,
	fetch.RateLimited:   Indisponivel,
	fetch.HTTP5xx:       Indisponivel,
	fetch.HTTP4xx:       Respondeu,
	fetch.MalformedBody: Ambiguo,
	fetch.NotFound:      Respondeu,
	fetch.Redirect:      Respondeu,
	fetch.Aborted:       Alheio,
}

// byMeans is what a declared answer rule says. The other meanings are answers
// and never come as an error.
var byMeans = map[fetch.Means]Verdict{
	fetch.MeansIndisponivel: Indisponivel,
	fetch.MeansRespondeu:    Respondeu,
	fetch.MeansAmbiguo:      Ambiguo,
	fetch.MeansAlheio:       Alheio,
}

// Of judges err. A *fetch.Error anywhere along the chain is judged by its kind,
// then, stronger, by a local cause, and strongest by the declared answer rule
// that decided; any other error means that our own side failed. Of(nil) is the
// zero Delivery.
func Of(err error) Delivery {
	if err == nil {
		return Delivery{}
	}
	fe := find(err, 0)
	if fe == nil {
		return Delivery{Verdict: Alheio, Motivo: "falha nossa antes de qualquer resposta: " + line(err.Error(), 300)}
	}
	return Delivery{Verdict: judge(fe), Motivo: motivo(fe), Kind: fe.Kind, Status: fe.Status, URL: fe.URL}
}

func judge(e *fetch.Error) Verdict {
	if e.Rule != nil {
		if v, ok := byMeans[e.Rule.Means]; ok {
			return v
		}
	}
	if v, ok := byKind[e.Kind]; ok && e.Cause == "" {
		return v
	}
	return Alheio
}

// Find gives the *fetch.Error along the chain of err, nil when there is none.
func Find(err error) *fetch.Error { return find(err, 0) }

// maxChain bounds the walk: a foreign wrapper may contain itself.
const maxChain = 100

// find walks Unwrap in both of its forms and Cause, the form that wrappers
// used before the standard library had one.
func find(err error, depth int) *fetch.Error {
	for ; err != nil && depth < maxChain; depth++ {
		switch e := err.(type) { //nolint:errorlint // this is the walk itself
		case *fetch.Error:
			return e
		case interface{ Unwrap() []error }:
			for _, inner := range e.Unwrap() {
				if fe := find(inner, depth+1); fe != nil {
					return fe
				}
			}
			return nil
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		case interface{ Cause() error }:
			err = e.Cause()
		default:
			return nil
		}
	}
	return nil
}
