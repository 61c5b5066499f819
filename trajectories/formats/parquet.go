package formats

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/cua-runner/cua-runner/cua/redact"
)

// The kinds of the columns of a dataset.
const (
	kindText    = "text"
	kindInteger = "integer"
	kindNumber  = "number"
	kindBoolean = "boolean"
	kindTime    = "time"
)

func parquetExporter() Exporter {
	return Exporter{Name: "parquet", About: "the tables of dataset as Parquet, with types",
		Folder: func(dir string, runs []DatasetRun, _ ExportOptions) error {
			return writeFolder(dir, func(f *outFolder) error {
				for _, t := range dataTables(runs) {
					err := f.file(t.name+".parquet", func(w io.Writer) error { return writeParquet(w, &t) })
					if err != nil {
						return fmt.Errorf("trajectories: exporting parquet: table %s: %w", t.name, err)
					}
				}
				return nil
			})
		}}
}

// parquetType is the type of a column of that kind. An empty cell is null.
func parquetType(kind string) parquet.Node {
	switch kind {
	case kindInteger:
		return parquet.Optional(parquet.Leaf(parquet.Int64Type))
	case kindNumber:
		return parquet.Optional(parquet.Leaf(parquet.DoubleType))
	case kindBoolean:
		return parquet.Optional(parquet.Leaf(parquet.BooleanType))
	case kindTime:
		return parquet.Optional(parquet.Timestamp(parquet.Microsecond))
	}
	return parquet.Optional(parquet.String())
}

// writeParquet writes a table. The columns of the file are in the order of their names.
func writeParquet(w io.Writer, t *dataTable) error {
	group := parquet.Group{}
	for _, c := range t.columns {
		group[c.name] = parquetType(c.kind)
	}
	schema := parquet.NewSchema(t.name, group)
	at := map[string]int{} // by name: its place in the file
	for i, path := range schema.Columns() {
		at[path[0]] = i
	}
	out := parquet.NewWriter(w, schema, parquet.Compression(&parquet.Zstd),
		parquet.CreatedBy("cua-runner", "", ""))
	for n, cells := range t.rows {
		row := make(parquet.Row, len(cells))
		for i, cell := range cells {
			c := t.columns[i]
			v, err := parquetValue(c.kind, cell)
			if err != nil {
				return fmt.Errorf("row %d: column %s: %w", n+1, c.name, err)
			}
			level := 1
			if v.IsNull() {
				level = 0
			}
			row[at[c.name]] = v.Level(0, level, at[c.name])
		}
		if _, err := out.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
	}
	return out.Close()
}

// parquetValue is a cell by its kind.
func parquetValue(kind, cell string) (parquet.Value, error) {
	if cell == "" {
		return parquet.NullValue(), nil
	}
	switch kind {
	case kindInteger:
		v, err := strconv.ParseInt(cell, 10, 64)
		return parquet.Int64Value(v), err
	case kindNumber:
		v, err := strconv.ParseFloat(cell, 64)
		return parquet.DoubleValue(v), err
	case kindBoolean:
		v, err := strconv.ParseBool(cell)
		return parquet.BooleanValue(v), err
	case kindTime:
		v, err := time.Parse(time.RFC3339Nano, cell)
		return parquet.Int64Value(v.UnixMicro()), err
	}
	return parquet.ByteArrayValue([]byte(redact.Visible(cell))), nil
}
