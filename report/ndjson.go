package report

import (
	"encoding/json"
	"io"
)

// writeNDJSON writes one object a line: the run with its resolved policy, the
// results, and the summary with what is known only at the end. A file without
// its summary is a report that was cut.
func writeNDJSON(w io.Writer, doc *Document, _ Options) error {
	b, err := appendRunLine(make([]byte, 0, flushAt+8<<10), doc)
	if err != nil {
		return err
	}
	for i := range doc.Results {
		b = appendStringKey(append(b, '{'), "type", "result")
		b = append(appendResultMembers(b, &doc.Results[i]), '}', '\n')
		if b, err = flush(w, b, flushAt); err != nil {
			return err
		}
	}
	b = appendStringKey(append(b, '{'), "type", "summary")
	b = appendSummaryMembers(b, &doc.Summary)
	b = appendInt(b, "exit_code", doc.Run.ExitCode)
	b = appendInt(b, "duration_ms", doc.Run.DurationMS)
	b = appendList(b, "degraded", doc.Run.Degraded, appendDegradation)
	b = appendList(b, "origins", doc.Run.Origins, appendOrigin)
	_, err = flush(w, append(b, '}', '\n'), 0)
	return err
}

func appendRunLine(b []byte, doc *Document) ([]byte, error) {
	b = appendStringKey(append(b, '{'), "type", "run")
	b = appendInt(b, "version", doc.Version)
	b = appendStringKey(b, "trace", doc.Run.Trace)
	b = appendTime(appendKey(b, "started_at"), doc.Run.StartedAt)
	b = appendStringKey(b, "profile", doc.Run.Profile)
	b = appendStringKey(b, "policy_format", doc.Run.PolicyFormat)
	policy, err := json.Marshal(doc.Policy)
	if err != nil {
		return nil, err
	}
	b = append(appendKey(b, "policy"), policy...)
	return append(b, '}', '\n'), nil
}
