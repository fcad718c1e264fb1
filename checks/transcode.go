package checks

import (
	"errors"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/checks/expect/bodies"
	"github.com/fonteviva/fonteviva/fetch"
)

// inspect gives the fetcher what makes a body malformed that is not JSON by
// itself; nil for the other modes.
func inspect(p *Probe) func([]byte) error {
	switch p.As {
	case expect.AsCSV, expect.AsNDJSON, expect.AsXML:
		return func(body []byte) error {
			_, err := expect.Transcode(p.As, body, p.CSV)
			if wrong, ok := errors.AsType[*bodies.Error](err); ok {
				return &fetch.FormatError{Format: wrong.As, Line: wrong.Line, Err: err}
			}
			return limited(err)
		}
	}
	return nil
}

// observeBody gives the expectations the body as the probe's as: says it is. An
// expected error status may have any body.
func observeBody(o *expect.Observation, p *Probe, a *fetch.Answer) error {
	o.JSON = p.JSON && (a.Status/100 == 2 || fetch.ValidJSON(a.Body))
	if p.As != expect.AsCSV && p.As != expect.AsNDJSON {
		return nil
	}
	body, err := expect.Transcode(p.As, a.Body, p.CSV)
	var limit *fetch.LimitError
	switch {
	case err == nil:
		o.Body, o.JSON = body, true
		return nil
	case errors.As(limited(err), &limit):
		return &fetch.Error{Kind: fetch.Aborted, Outcome: fetch.OutcomeFatal, Cause: limit.Cause, Status: a.Status, Header: a.Header,
			Offset: -1, URL: a.URL, FinalURL: a.FinalURL, Mirror: a.Mirror, Trip: a.Trip, Err: err}
	}
	// The fetcher has rejected a success that is not what as: says.
	return nil
}

// limited names the limit of ours that keeps a body from being followed; any
// other error stays what it is.
func limited(err error) error {
	switch {
	case errors.Is(err, bodies.ErrDeep):
		return &fetch.LimitError{Cause: fetch.CauseMaxDepth, Err: err}
	case errors.Is(err, bodies.ErrParts):
		return &fetch.LimitError{Cause: fetch.CauseMaxParts, Err: err}
	}
	return err
}
