package report

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestMarkdownByCMark reads the page with GitHub's own reader, its extensions
// and raw HTML on, and holds that it is nothing but what we wrote.
func TestMarkdownByCMark(t *testing.T) {
	cmark := reader(t, "cmark-gfm", "cmark-gfm")
	path := written(t, "markdown", recordedDocument("markdown"), Options{}, "run.md")
	out, err := exec.Command(cmark, "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tasklist", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	html := string(out)
	allowed := regexp.MustCompile(`^/?(h3|h4|p|table|thead|tbody|tr|th|td|strong|ul|li|code)( align="(right|left)")?$|^!-- --$`)
	for _, tag := range regexp.MustCompile(`<([^>]*)>`).FindAllStringSubmatch(html, -1) {
		if !allowed.MatchString(tag[1]) {
			t.Errorf("the page has <%s>", tag[1])
		}
	}
	rows := regexp.MustCompile(`(?s)<tr>(.*?)</tr>`).FindAllStringSubmatch(html, -1)
	widths := map[int]int{}
	for _, row := range rows {
		widths[strings.Count(row[1], "<td")]++
	}
	// 14 results of seven cells and three mismatches of four; the rest are heads.
	if widths[7] != 14 || widths[4] != 3 || len(rows) != 14+3+3+2 {
		t.Errorf("rows by their cells: %v", widths)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if regexp.MustCompile(`[@#]\w`).Match(regexp.MustCompile(`&#\d+;`).ReplaceAll(source, nil)) {
		t.Error("a mention or an issue's number stands whole")
	}
}
