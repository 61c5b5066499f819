package cua

import (
	"fmt"
	"reflect"
	"strings"
)

// CheckRanges checks the numbers of a config struct, and of the structs in it, against their tag range, which
// has the smallest and the largest value: `range:"1 100"`. The error names the first number out of range by
// its path in the JSON document.
func CheckRanges(config any) error { return checkRanges("", reflect.ValueOf(config)) }

func checkRanges(path string, v reflect.Value) error {
	for field, value := range v.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if value.Kind() == reflect.Struct {
			if err := checkRanges(path+name+".", value); err != nil {
				return err
			}
		}
		var lo, hi float64
		if n, _ := fmt.Sscan(field.Tag.Get("range"), &lo, &hi); n < 2 {
			continue
		}
		n := value.Convert(reflect.TypeFor[float64]()).Float()
		if !(n >= lo && n <= hi) { // NaN is out of every range
			return fmt.Errorf("%s%s must be %g to %g, not %g", path, name, lo, hi, n)
		}
	}
	return nil
}
