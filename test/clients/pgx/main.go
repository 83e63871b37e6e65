package main

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

var (
	kind   = os.Getenv("KIND")
	scheme = os.Getenv("SCHEME")
	since  = time.Date(2025, 6, 15, 3, 0, 0, 250_000_000, time.UTC).Local()
	until  = since.Add(3 * time.Hour)
	ctx    = context.Background()
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// text is how an id of any type is written.
func text(id interface{}) string {
	if reflect.ValueOf(id).Kind() == reflect.Pointer {
		id = reflect.ValueOf(id).Elem().Interface()
	}
	if bytes, ok := id.([16]byte); ok {
		return fmt.Sprintf("%x-%x-%x-%x-%x", bytes[0:4], bytes[4:6], bytes[6:8], bytes[8:10], bytes[10:])
	}
	return fmt.Sprint(id)
}

func say(what string, values ...interface{}) {
	texts := []string{}
	for _, value := range values {
		texts = append(texts, text(value))
	}
	fmt.Printf("%s\t%s\n", what, strings.Join(texts, " "))
}

func column(rows pgx.Rows, err error) (column []interface{}) {
	must(err)
	defer rows.Close()
	for rows.Next() {
		values, err := rows.Values()
		must(err)
		column = append(column, values[0])
	}
	must(rows.Err())
	return
}

// recipe: types
// registerSnowflake lets a snowflake be an int64. With a pool, call it in AfterConnect.
func registerSnowflake(ctx context.Context, db *pgx.Conn) error {
	var oid uint32
	err := db.QueryRow(ctx, "SELECT 'snowflake'::regtype::oid").Scan(&oid)
	db.TypeMap().RegisterType(&pgtype.Type{Name: "snowflake", OID: oid, Codec: pgtype.Int8Codec{}})
	return err
}

// end

func main() {
	db, err := pgx.Connect(ctx, os.Getenv("DATABASE_URL"))
	must(err)
	must(registerSnowflake(ctx, db))

	id := map[string]interface{}{"snowflake": new(int64), "uuidv7": new([16]byte), "ulid": new(string), "sno": new(string)}[scheme]
	// recipe: insert
	// id is a *int64, *[16]byte for a uuid, or *string for a ulid or a sno
	err = db.QueryRow(ctx, "INSERT INTO message (body) VALUES ($1) RETURNING id", "from the client").Scan(id)
	// end
	must(err)
	say("inserted", id)

	must(db.QueryRow(ctx, "SELECT id FROM message WHERE body = 'r05'").Scan(id))
	say("read", id)

	var body string
	// recipe: find
	err = db.QueryRow(ctx, "SELECT body FROM message WHERE id = $1", id).Scan(&body)
	// end
	must(err)
	say("found", body)

	// recipe: time
	between, err := db.Query(ctx,
		"SELECT body FROM message WHERE id >= "+scheme+"_lower_bound($1) AND id < "+scheme+"_lower_bound($2) ORDER BY id",
		since, until)
	// end
	say("lower_bound", column(between, err)...)

	time := map[bool]string{true: "id::snowflake", false: "id"}[kind == "bigint"]
	say("timestamptz", column(db.Query(ctx,
		"SELECT body FROM message WHERE "+time+" >= $1::timestamptz AND "+time+" < $2::timestamptz ORDER BY id",
		since, until))...)

	page := column(db.Query(ctx, "SELECT id FROM message ORDER BY id DESC LIMIT 5"))
	for len(page) > 0 {
		say("page", page...)
		last := page[len(page)-1]
		// recipe: page
		rows, err := db.Query(ctx, "SELECT id FROM message WHERE id < $1 ORDER BY id DESC LIMIT 5", last)
		// end
		page = column(rows, err)
	}
}
