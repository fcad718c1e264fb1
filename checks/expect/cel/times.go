package cel

import (
	"time"
)

func (t table) times() {
	t.add("timestamp", overload{params: []kind{stringKind}, gives: timestampKind, apply: func(_ *evaluation, args []value) (value, error) {
		at, err := time.Parse(time.RFC3339, args[0].(string))
		if err != nil {
			return nil, badValue(args[0], " is not a timestamp of RFC 3339")
		}
		return at, nil
	}}, overload{params: []kind{timestampKind}, gives: timestampKind, apply: same},
		overload{params: []kind{intKind}, gives: timestampKind, apply: func(_ *evaluation, args []value) (value, error) {
			seconds := args[0].(int64)
			if seconds < -62135596800 || seconds >= 253402300800 {
				return nil, errOverflow
			}
			return time.Unix(seconds, 0).UTC(), nil
		}})
	t.add("duration", overload{params: []kind{stringKind}, gives: durationKind, apply: func(_ *evaluation, args []value) (value, error) {
		d, err := time.ParseDuration(args[0].(string))
		if err != nil {
			return nil, badValue(args[0], " is not a duration, such as 1h30m")
		}
		return d, nil
	}}, overload{params: []kind{durationKind}, gives: durationKind, apply: same})
	for name, get := range map[string]func(at time.Time) int{
		"getFullYear": time.Time.Year, "getMonth": func(at time.Time) int { return int(at.Month()) - 1 },
		"getDate": time.Time.Day, "getDayOfMonth": func(at time.Time) int { return at.Day() - 1 },
		"getDayOfYear": func(at time.Time) int { return at.YearDay() - 1 }, "getDayOfWeek": func(at time.Time) int { return int(at.Weekday()) },
		"getHours": time.Time.Hour, "getMinutes": time.Time.Minute, "getSeconds": time.Time.Second,
		"getMilliseconds": func(at time.Time) int { return at.Nanosecond() / 1e6 },
	} {
		t.add(name, overload{params: []kind{timestampKind}, member: true, gives: intKind, apply: func(_ *evaluation, args []value) (value, error) {
			return int64(get(args[0].(time.Time).UTC())), nil
		}}, overload{params: []kind{timestampKind, stringKind}, member: true, gives: intKind, apply: func(_ *evaluation, args []value) (value, error) {
			zone, err := zoneOf(args[1].(string))
			if err != nil {
				return nil, err
			}
			return int64(get(args[0].(time.Time).In(zone))), nil
		}})
	}
	for name, unit := range map[string]time.Duration{"getHours": time.Hour, "getMinutes": time.Minute, "getSeconds": time.Second, "getMilliseconds": time.Millisecond} {
		t.add(name, overload{params: []kind{durationKind}, member: true, gives: intKind, apply: func(_ *evaluation, args []value) (value, error) {
			return int64(args[0].(time.Duration) / unit), nil
		}})
	}
}

func same(_ *evaluation, args []value) (value, error) { return args[0], nil }

// zoneOf reads a zone by its name, or an offset such as -03:00.
func zoneOf(name string) (*time.Location, error) {
	if at, err := time.Parse("-07:00", name); err == nil {
		_, offset := at.Zone()
		return time.FixedZone(name, offset), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, badValue(name, " is not a time zone")
	}
	return zone, nil
}
