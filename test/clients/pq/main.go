package main

import (
	"database/sql"
	"fmt"
	"os"
	"strings"
	"time"

	_ "github.com/lib/pq"
)

var (
	kind   = os.Getenv("KIND")
	scheme = os.Getenv("SCHEME")
	since  = time.Date(2025, 6, 15, 3, 0, 0, 250_000_000, time.UTC).Local()
	until  = since.Add(3 * time.Hour)
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func say(what string, values ...string) { fmt.Printf("%s\t%s\n", what, strings.Join(values, " ")) }

func column(rows *sql.Rows, err error) (values []string) {
	must(err)
	defer rows.Close()
	for rows.Next() {
		var value string
		must(rows.Scan(&value))
		values = append(values, value)
	}
	must(rows.Err())
	return
}

func main() {
	// recipe: connect
	db, err := sql.Open("postgres", os.Getenv("DATABASE_URL")+"?sslmode=disable")
	// end
	must(err)

	// recipe: insert
	var id string // of any type; a bigint and a snowflake scan into an int64 too
	err = db.QueryRow("INSERT INTO message (body) VALUES ($1) RETURNING id", "from the client").Scan(&id)
	// end
	must(err)
	say("inserted", id)
	if scheme == "snowflake" {
		var number int64
		must(db.QueryRow("SELECT id FROM message WHERE id = $1", id).Scan(&number))
		if fmt.Sprint(number) != id {
			panic(id)
		}
	}

	must(db.QueryRow("SELECT id FROM message WHERE body = 'r05'").Scan(&id))
	say("read", id)

	var body string
	// recipe: find
	err = db.QueryRow("SELECT body FROM message WHERE id = $1", id).Scan(&body)
	// end
	must(err)
	say("found", body)

	// recipe: time
	between, err := db.Query("SELECT body FROM message WHERE id >= "+scheme+"_lower_bound($1) AND id < "+scheme+"_lower_bound($2) ORDER BY id",
		since, until)
	// end
	say("lower_bound", column(between, err)...)

	time := map[bool]string{true: "id::snowflake", false: "id"}[kind == "bigint"]
	say("timestamptz", column(db.Query("SELECT body FROM message WHERE "+time+" >= $1::timestamptz AND "+time+" < $2::timestamptz ORDER BY id",
		since, until))...)

	page := column(db.Query("SELECT id FROM message ORDER BY id DESC LIMIT 5"))
	for len(page) > 0 {
		say("page", page...)
		last := page[len(page)-1]
		// recipe: page
		rows, err := db.Query("SELECT id FROM message WHERE id < $1 ORDER BY id DESC LIMIT 5", last)
		// end
		page = column(rows, err)
	}
}
