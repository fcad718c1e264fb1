package report

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks"
)

// samples reads the lines of an exposition that are no comments.
func samples(t *testing.T, text string) map[string]string {
	t.Helper()
	got := map[string]string{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		i := strings.LastIndexByte(strings.TrimSuffix(line, "\n"), ' ')
		name, value := line[:i], strings.TrimSpace(line[i:])
		if _, twice := got[name]; twice {
			t.Errorf("%s stands twice", name)
		}
		got[name] = value
	}
	return got
}

// wantSamples are some of the recorded run's samples.
var wantSamples = map[string]string{
	`fonteviva_probe_finding{origin="sgs",probe="ipca-mensal",finding="drift"}`:               "1",
	`fonteviva_probe_finding{origin="sgs",probe="ipca-mensal",finding="ok"}`:                  "0",
	`fonteviva_probe_finding{origin="local",probe="broken",vantage="proxy",finding="alheio"}`: "1",
	`fonteviva_probe_measured{origin="ibge",probe="down"}`:                                    "0",
	`fonteviva_probe_measured{origin="sgs",probe="flaky"}`:                                    "1",
	`fonteviva_probe_last_measured_timestamp_seconds{origin="sgs",probe="selic-diaria"}`:      "1795982400.123",
	`fonteviva_probe_last_measured_timestamp_seconds{origin="ibge",probe="odd"}`:              "1795896000",
	`fonteviva_probe_duration_seconds{origin="sgs",probe="flaky"}`:                            "8.06",
	`fonteviva_probe_attempts{origin="sgs",probe="flaky"}`:                                    "3",
	`fonteviva_probe_attempts{origin="ibge",probe="down-too"}`:                                "0",
	`fonteviva_probe_anomalies{origin="ibge",probe="down"}`:                                   "2",
	`fonteviva_last_run_timestamp_seconds`:                                                    "1795982400.123",
	`fonteviva_last_run_duration_seconds`:                                                     "3.25",
	`fonteviva_last_run_probes`:                                                               "14",
	`fonteviva_last_run_measured_probes`:                                                      "4",
	`fonteviva_last_run_degradations`:                                                         "4",
	`fonteviva_last_run_degraded{feature="history"}`:                                          "1",
}

func metricsReport() *checks.Report {
	rep := recorded()
	for i := range rep.Results {
		if rep.Results[i].Name == "odd" {
			rep.Results[i].LastMeasuredAt = ptr(time.Date(2026, 11, 28, 20, 0, 0, 0, time.UTC))
		}
	}
	// What a report that was read may hold: a name that no declaration can have,
	// and one result twice.
	odd := okResult("a\"b\\c\nd\xff"+hostile, "sgs")
	rep.Results = append(rep.Results, odd, odd)
	return rep
}

func metricsDocument(format string) *Document {
	rep := metricsReport()
	doc := NewDocument(rep, policyOf(""), DecideOptions{Format: format})
	doc.Summary.Total, doc.Summary.Measured = 14, 4
	return doc
}

func TestMetricsSamples(t *testing.T) {
	for _, format := range []string{"openmetrics", "textfile"} {
		f, _ := FormatNamed(format)
		out := string(render(t, f, metricsDocument(format), Options{}))
		got := samples(t, out)
		for name, want := range wantSamples {
			if got[name] != want {
				t.Errorf("%s: %s is %q, want %q", format, name, got[name], want)
			}
		}
		if n := strings.Count(out, "fonteviva_probe_measured{"); n != 15 {
			t.Errorf("%s: %d probes", format, n)
		}
		if strings.Contains(out, "last_measured_timestamp_seconds{origin=\"ibge\",probe=\"down\"}") {
			t.Errorf("%s: down was measured", format)
		}
		if strings.HasSuffix(out, "# EOF\n") != (format == "openmetrics") || !strings.HasSuffix(out, "\n") {
			t.Errorf("%s ends with %q", format, out[len(out)-10:])
		}
	}
}

// TestMetricsCannotBeOverridden holds the formats to being data.
func TestMetricsCannotBeOverridden(t *testing.T) {
	for _, format := range []string{"openmetrics", "textfile"} {
		for _, on := range []string{"drift=fail", "alheio=fail"} {
			if d := Decide(results(checks.Drift, checks.Alheio), policyOf("recovery", on), DecideOptions{Format: format}); d.ExitCode != 0 {
				t.Errorf("%s, --on %s: exit %d", format, on, d.ExitCode)
			}
		}
		if _, err := ResolvePolicy(PolicyRequest{On: []string{format + ":drift=fail"}}); err == nil || !strings.Contains(err.Error(), "data only") {
			t.Errorf("%s: %v", format, err)
		}
		d, c := declare(t, "formats: {"+format+": {drift: fail}}\n")
		if CheckDeclaration(d, c); c.Err() == nil || !strings.Contains(c.Err().Error(), "data only") {
			t.Errorf("%s in formats: %v", format, c.Err())
		}
	}
}

func TestTextfileByNodeExporter(t *testing.T) {
	program := reader(t, "prometheus-node-exporter", "prometheus-node-exporter")
	path := written(t, "textfile", metricsDocument("textfile"), Options{}, "fonteviva.prom")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.Command(program, "--collector.disable-defaults", "--collector.textfile", "--collector.textfile.directory="+filepath.Dir(path), "--web.listen-address="+address)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	text, err := scraped("http://" + address + "/metrics")
	stopped := cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait() // it ends by the signal
	if err != nil || stopped != nil {
		t.Fatalf("%v, %v\n%s", err, stopped, log.String())
	}
	got := map[string]string{}
	for name, value := range samples(t, text) {
		got[sortedLabels(name)] = value
	}
	if got["node_textfile_scrape_error"] != "0" || strings.Contains(log.String(), "error") {
		t.Errorf("scrape error %s\n%s", got["node_textfile_scrape_error"], log.String())
	}
	for name, want := range wantSamples {
		if value := got[sortedLabels(name)]; value != want && !sameNumber(value, want) {
			t.Errorf("%s is %q, want %q", name, value, want)
		}
	}
}

// scraped asks until somebody answers, for some seconds.
func scraped(url string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return "", err
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			defer res.Body.Close()
			body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
			return string(body), err
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-tick.C:
		}
	}
}

// sortedLabels writes a sample's name with its labels in order and without the
// empty ones, which node_exporter adds where another series of the metric has
// the label. None of the compared values holds a comma.
func sortedLabels(name string) string {
	metric, labels, ok := strings.Cut(strings.TrimSuffix(name, "}"), "{")
	if !ok {
		return name
	}
	list := slices.DeleteFunc(strings.Split(labels, ","), func(s string) bool { return strings.HasSuffix(s, `=""`) })
	slices.Sort(list)
	return metric + "{" + strings.Join(list, ",") + "}"
}

func sameNumber(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y
}

func TestTextfileByPromtool(t *testing.T) {
	promtool := reader(t, "promtool", "prometheus")
	for name, rep := range documents() {
		cmd := exec.Command(promtool, "check", "metrics")
		f, _ := FormatNamed("textfile")
		cmd.Stdin = bytes.NewReader(render(t, f, NewDocument(rep, policyOf(""), DecideOptions{Format: "textfile"}), Options{}))
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v %s", name, err, out)
		}
	}
}

const openMetricsScript = `import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
n = sum(len(f.samples) for f in text_string_to_metric_families(open(sys.argv[1], encoding="utf-8").read()))
print(n)`

func TestOpenMetricsByPrometheusClient(t *testing.T) {
	python := reader(t, "/usr/bin/python3", "python3") // Debian's own, which has Debian's packages
	if exec.Command(python, "-c", "import prometheus_client.openmetrics.parser").Run() != nil {
		missing(t, "prometheus_client", "Debian: python3-prometheus-client")
	}
	for name, rep := range map[string]*checks.Report{"recorded": metricsReport(), "empty": {StartedAt: startedAt}} {
		doc := NewDocument(rep, policyOf(""), DecideOptions{Format: "openmetrics"})
		f, _ := FormatNamed("openmetrics")
		want := strconv.Itoa(len(samples(t, string(render(t, f, doc, Options{})))))
		out, err := exec.Command(python, "-c", openMetricsScript, written(t, "openmetrics", doc, Options{}, "m.txt")).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s: %v, want %s samples: %s", name, err, want, out)
		}
	}
}
