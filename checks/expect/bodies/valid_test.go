package bodies

import "github.com/go-json-experiment/json/jsontext"

func validArray(out []byte) bool {
	v := jsontext.Value(out)
	return v.IsValid(jsontext.AllowDuplicateNames(true)) && v.Kind() == '['
}
