package report

import "io"

// flushAt is how much is gathered before it is written.
const flushAt = 64 << 10

// writeJSON writes the document: valid JSON, one result a line.
func writeJSON(w io.Writer, doc *Document, _ Options) error {
	b := make([]byte, 0, flushAt+8<<10)
	b = append(appendInt(append(b, '{'), "version", doc.Version), ",\n\"run\":{"...)
	b = append(appendRunMembers(b, &doc.Run), "},\n\"summary\":{"...)
	b = append(appendSummaryMembers(b, &doc.Summary), "},\n\"results\":["...)
	for i := range doc.Results {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendResultMembers(append(b, '\n', '{'), &doc.Results[i]), '}')
		var err error
		if b, err = flush(w, b, flushAt); err != nil {
			return err
		}
	}
	_, err := flush(w, append(b, "\n]}\n"...), 0)
	return err
}

// flush writes what was gathered once it is longer than least.
func flush(w io.Writer, b []byte, least int) ([]byte, error) {
	if len(b) <= least {
		return b, nil
	}
	_, err := w.Write(b)
	return b[:0], err
}

func appendRunMembers(b []byte, r *Run) []byte {
	b = appendStringKey(b, "trace", r.Trace)
	b = appendTime(appendKey(b, "started_at"), r.StartedAt)
	b = appendInt(b, "duration_ms", r.DurationMS)
	b = appendStringKey(b, "profile", r.Profile)
	b = appendStringKey(b, "policy_format", r.PolicyFormat)
	b = appendInt(b, "exit_code", r.ExitCode)
	b = appendList(b, "degraded", r.Degraded, appendDegradation)
	return appendList(b, "origins", r.Origins, appendOrigin)
}
