// Sealed ids in Go: the vectors, and tokens that the database opens.
package main

import (
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	_ "github.com/lib/pq"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func rows(name string) (all []map[string]string) {
	content, err := os.ReadFile(os.Getenv("SNOWID_VECTORS") + "/" + name)
	must(err)
	lines := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
	head := strings.Split(lines[0], "\t")
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, value := range strings.Split(line, "\t") {
			row[head[i]] = value
		}
		all = append(all, row)
	}
	return
}

func number(text string) int64 {
	value, err := strconv.ParseInt(text, 10, 64)
	must(err)
	return value
}

func key(text string) []byte {
	value, err := hex.DecodeString(text)
	must(err)
	return value
}

func check(holds bool, row map[string]string) {
	if !holds {
		panic(fmt.Sprint(row))
	}
}

func main() {
	keys := map[int64][]byte{}
	valid, invalid := rows("sealed8.valid.tsv"), rows("sealed.invalid.tsv")
	for _, row := range valid {
		n := number(row["key_number"])
		keys[n] = key(row["root_key_hex"])
		text, err := Seal(number(row["id"]), row["prefix"], keys[n], n)
		check(err == nil && text == row["text"], row)
		id, err := Unseal(row["text"], row["prefix"], keys)
		check(err == nil && id == number(row["id"]), row)
	}
	for _, row := range invalid {
		var text string
		must(json.Unmarshal([]byte(row["input_json_string"]), &text))
		_, err := Unseal(text, row["expected_prefix"], keys)
		check(err != nil, row)
	}

	// There is no key number 7, although 22 digits can hold most of its tokens.
	keys[7] = keys[0]
	_, err := Unseal("ord_xSaQxSsJSb0nrsl43SVomu", "ord", keys)
	check(err != nil, nil)
	for _, n := range []int64{7, -1, 256} {
		_, err = Seal(1, "ord", keys[0], n)
		check(err != nil, nil)
	}

	db, err := sql.Open("postgres", os.Getenv("DATABASE_URL")+"?sslmode=disable")
	must(err)
	var n, id int64
	var revealed, token string
	must(db.QueryRow("SELECT snowid_seal_key_create(), id FROM message WHERE body = 'r05'").Scan(&n, &id))
	must(db.QueryRow("SELECT snowid_seal_key_reveal($1), id_seal($2, 'msg')", n, id).Scan(&revealed, &token))
	text, err := Seal(id, "msg", key(revealed), n)
	must(err)
	fmt.Printf("sealed\t%s\n", text)
	opened, err := Unseal(token, "msg", map[int64][]byte{n: key(revealed)})
	must(err)
	fmt.Printf("opened\t%d\nvectors\t%d\t%d\n", opened, len(valid), len(invalid))
}
