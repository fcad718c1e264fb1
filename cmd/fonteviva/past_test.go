package main

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/history"
	"github.com/fonteviva/fonteviva/checks/source"
)

// past AGE FILE NAME=FINDING… keeps a run of a declaration as if it had been
// made so long ago; FINDING may end in +empty. The trace code of the first
// result goes to $TRACE.
func past(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: past AGE FILE NAME=FINDING…")
	}
	age, err := source.ParseDuration(args[0])
	ts.Check(err)
	at := time.Now().Add(-age).UTC().Truncate(time.Millisecond)
	run := &history.Run{Trace: "0000PAST", StartedAt: at, Profile: "cron", PolicyFormat: "pretty"}
	for i, arg := range args[2:] {
		name, finding, _ := strings.Cut(arg, "=")
		finding, empty := strings.CutSuffix(finding, "+empty")
		r := checks.Result{
			Name: name, Origin: "live", Trace: "7M2KQ0Z" + string("0123456789"[i]), Asked: true, Finding: checks.Finding(finding),
			Measured: finding == "ok" || finding == "drift", URL: "https://live.example/" + name,
		}
		if empty {
			r.Detail = new(checks.DetailEmpty)
		}
		r.Trips = []checks.Trip{{Finding: r.Finding, Attempts: []checks.Attempt{{Requests: 1, TotalMS: 40}}}}
		run.Results = append(run.Results, r)
	}
	store, err := history.Open(filepath.Join(ts.Getenv("XDG_STATE_HOME"), "fonteviva"), history.Options{OpenTimeout: lookTimeout})
	ts.Check(err)
	ts.Check(store.Save(context.Background(), history.ProjectOf([]string{ts.MkAbs(args[1])}), run))
	ts.Check(store.Close())
	ts.Setenv("TRACE", run.Results[0].Trace)
}
