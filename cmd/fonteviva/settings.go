package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/report"
)

// setting is one thing that a flag, FONTEVIVA_NAME in the environment or the
// settings: block can say; the first of them that does wins.
type setting struct {
	key   string // in settings:, and upper-case behind FONTEVIVA_
	flag  string // "" for none
	doc   string
	check func(string) error
	form  source.Form // what check lets pass, for the schema
}

// of is the setting's flag among those of a command, nil where there is none.
// A flag of that name with words of its own (list --format) is another thing.
func (s setting) of(flags *pflag.FlagSet) *pflag.Flag {
	if f := flags.Lookup(s.flag); s.flag != "" && f != nil && f.Value.Type() == "string" {
		return f
	}
	return nil
}

// runBudget is the key of the whole run's budget. Its flag is --budget; the
// plain key "budget" is the network default, as for an origin.
const runBudget = "run_budget"

var settings = []setting{
	{"profile", "profile", "the occasion", nil, source.SomeText},
	{"format", "format", "how the run is written", checkFormat, formatForm},
	{"lang", "lang", "language of what a person reads: en or pt-BR", checkLang, source.OneOf(string(report.EN), string(report.PT))},
	{"color", "color", "auto, always or never", checkColor, source.OneOf("auto", "always", "never")},
	{"parallel", "parallel", "probes at a time over all origins", checkCount(1, 4096), source.Whole(1, 4096)},
	{runBudget, "budget", "time for the whole run", checkDuration(time.Millisecond), source.TimeFrom(time.Millisecond)},
	{"min_measured", "min-measured", "fewest probes, or share of them, that must be measured", checkThreshold, report.ThresholdForm},
	{"wait", "wait", "repeat what was not measured for this long", checkDuration(0), source.Time},
	{"state_dir", "state-dir", "folder of the history", nil, source.AnyText},
	{"history", "", "on or off: keep runs, and read what earlier ones found", checkSwitch, source.OneOf("on", "off")},
	{"history_keep", "", "how long runs are kept", checkDuration(time.Minute), source.TimeFrom(time.Minute)},
	{"history_max_size", "", "size of the history at most", checkSize, source.Bytes},
	{"project", "", "whose probes the history keeps apart; the paths of the declaration's files where nothing says one", checkProject, source.AnyText},
	{"timeout", "", "cap of one attempt where no origin says one", checkDuration(time.Millisecond), source.TimeFrom(time.Millisecond)},
	{"budget", "", "time for one trip where no origin says one", checkDuration(time.Millisecond), source.TimeFrom(time.Millisecond)},
	{"retries", "", "attempts beyond the first where no origin says them", checkCount(0, 20), source.Whole(0, 20)},
	{"backoff_base", "", "first wait between attempts where no origin says one", checkDuration(0), source.Time},
	{"backoff_max", "", "longest backoff where no origin says one", checkDuration(0), source.Time},
}

func settingKeys() []string {
	keys := make([]string, len(settings))
	for i, s := range settings {
		keys[i] = s.key
	}
	return keys
}

// config reads settings. Its reader is viper: flags, then the environment, then
// what the declaration says.
type config struct {
	v     *viper.Viper
	flags *pflag.FlagSet
}

func newConfig(flags *pflag.FlagSet) (*config, error) {
	v := viper.New()
	v.SetEnvPrefix("FONTEVIVA")
	v.AutomaticEnv()
	for _, s := range settings {
		if f := s.of(flags); f != nil {
			if err := v.BindPFlag(s.key, f); err != nil {
				return nil, err
			}
		}
	}
	c := &config{v: v, flags: flags}
	return c, c.check()
}

// check names a wrong value with the place that it came from.
func (c *config) check() error {
	for _, s := range settings {
		value := c.v.GetString(s.key)
		if s.check == nil || value == "" {
			continue
		}
		if err := s.check(value); err != nil {
			return fmt.Errorf("%s: %w", c.from(s), err)
		}
	}
	return nil
}

// given reports whether a flag or the environment says a setting, which then
// is not the declaration's.
func (c *config) given(key string) bool {
	for _, s := range settings {
		if s.key == key {
			f := s.of(c.flags)
			return f != nil && f.Changed || os.Getenv("FONTEVIVA_"+strings.ToUpper(key)) != ""
		}
	}
	return false
}

// declared lays the settings: block below flags and environment.
func (c *config) declared(block []checks.Raw) {
	m := make(map[string]any, len(block))
	for _, raw := range block {
		m[raw.Key] = raw.Value
	}
	_ = c.v.MergeConfigMap(m) // fails for nested maps only, which checkSettings refuses
}

// checkSettings reports what is wrong in the settings: block, at its place.
func checkSettings(block []checks.Raw, profiles []string) {
	for _, raw := range block {
		i := slices.IndexFunc(settings, func(s setting) bool { return s.key == raw.Key })
		switch {
		case i < 0:
			raw.KeyNode.Problem(source.DidYouMean(raw.Key, settingKeys()), "unknown key %s in settings", strconv.Quote(raw.Key))
		case !raw.Node.IsScalar() || raw.Node.IsNull():
			raw.Node.Problem("leave the key out where nothing is to be said", "%s: expected a single value", raw.Key)
		case raw.Key == "profile" && !slices.Contains(profiles, raw.Value):
			raw.Node.Problem(source.DidYouMean(raw.Value, profiles), "unknown profile %s", strconv.Quote(raw.Value))
		case settings[i].check != nil:
			if err := settings[i].check(raw.Value); err != nil {
				raw.Node.Problem("", "%v", err)
			}
		}
	}
}

// from names where a setting comes from that is not the declaration's.
func (c *config) from(s setting) string {
	if f := s.of(c.flags); f != nil && f.Changed {
		return "--" + s.flag
	}
	return "FONTEVIVA_" + strings.ToUpper(s.key)
}

func (c *config) str(key string) string { return c.v.GetString(key) }

// duration reads a checked duration; otherwise where nothing says one.
func (c *config) duration(key string, otherwise time.Duration) time.Duration {
	if d, err := source.ParseDuration(c.v.GetString(key)); err == nil && c.v.GetString(key) != "" {
		return d
	}
	return otherwise
}

func (c *config) count(key string, otherwise int) int {
	if n, err := strconv.Atoi(c.v.GetString(key)); err == nil {
		return n
	}
	return otherwise
}

// network is the policy that declarations are laid over.
func (c *config) network(block []checks.Raw) fetch.Policy {
	c.declared(block)
	p := fetch.DefaultPolicy()
	p.Timeout = c.duration("timeout", p.Timeout)
	p.Budget = c.duration("budget", p.Budget)
	p.Retries = c.count("retries", p.Retries)
	p.Backoff.Base = c.duration("backoff_base", p.Backoff.Base)
	p.Backoff.Max = c.duration("backoff_max", p.Backoff.Max)
	return p
}

// language is the one asked for, else that of the locale.
func (c *config) language() report.Lang {
	if l, err := report.ParseLang(c.str("lang")); err == nil && c.str("lang") != "" {
		return l
	}
	locale := cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG"))
	if strings.HasPrefix(strings.ToLower(locale), "pt") {
		return report.PT
	}
	return report.EN
}

// colored decides about colour on a stream (https://no-color.org).
func (c *config) colored(tty bool) bool {
	switch c.str("color") {
	case "always":
		return true
	case "never":
		return false
	}
	return tty && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

func checkFormat(s string) error { _, err := report.FormatNamed(s); return err }
func checkLang(s string) error   { _, err := report.ParseLang(s); return err }

func checkThreshold(s string) error { _, err := report.ParseThreshold(s); return err }

func checkColor(s string) error {
	if words := []string{"auto", "always", "never"}; !slices.Contains(words, s) {
		return fmt.Errorf("expected auto, always or never, got %q", s)
	}
	return nil
}

func checkCount(low, high int) func(string) error {
	return func(s string) error {
		if n, err := strconv.Atoi(s); err != nil || n < low || n > high {
			return fmt.Errorf("expected a whole number from %d to %d, got %q", low, high, s)
		}
		return nil
	}
}

func checkDuration(low time.Duration) func(string) error {
	return func(s string) error {
		d, err := source.ParseDuration(s)
		if err == nil && d < low {
			err = fmt.Errorf("expected a duration of at least %s, got %q", source.FormatDuration(low), s)
		}
		return err
	}
}
