// An outbox beside transactions that are open, a writer that commits late, and a poller whose program was killed.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// recipe: poll

var (
	ctx       = context.Background()
	delivered []string
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func connect() *pgx.Conn {
	db, err := pgx.Connect(ctx, os.Getenv("DATABASE_URL"))
	must(err)
	return db
}

func run(db *pgx.Conn, sql string) {
	_, err := db.Exec(ctx, sql)
	must(err)
}

func write(db *pgx.Conn, body string) {
	_, err := db.Exec(ctx, "INSERT INTO outbox (body) VALUES ($1)", body)
	must(err)
}

func deliver(id int64, body string) error {
	delivered = append(delivered, body)
	return nil
}

// The tick of the last id has to end.
func pollUntil(db *pgx.Conn, count int) {
	for len(delivered) < count {
		_, err := poll(ctx, db, deliver)
		must(err)
	}
}

func main() {
	db, late, busy, killed := connect(), connect(), connect(), connect()
	run(busy, "BEGIN")
	run(busy, "SELECT snowflake_next()") // a transaction that has an id of another generator
	run(late, "BEGIN")
	write(late, "early")
	write(db, "second")
	if count, err := poll(ctx, db, deliver); count != 0 || err != nil {
		panic("'early' would be lost")
	}
	run(late, "COMMIT")
	pollUntil(db, 2)

	// The program is killed, and PostgreSQL has not noticed: the session still holds the place, and may commit.
	write(db, "third")
	began, commit, done := make(chan bool), make(chan bool), make(chan bool)
	go func() {
		for count := 0; count == 0; {
			var err error
			count, err = poll(ctx, killed, func(id int64, body string) error {
				began <- true
				<-commit
				return deliver(id, body)
			})
			must(err)
		}
		done <- true
	}()
	<-began
	write(db, "fourth")
	run(db, "SET lock_timeout = '1s'")
	var refused *pgconn.PgError
	if _, err := poll(ctx, db, deliver); !errors.As(err, &refused) || refused.Code != "55P03" {
		panic(fmt.Sprint("two pollers have one place: ", err))
	}
	commit <- true
	<-done
	pollUntil(db, 4)

	write(db, "fifth")
	broken := errors.New("broken")
	for err := error(nil); !errors.Is(err, broken); {
		_, err = poll(ctx, db, func(int64, string) error { return broken })
	}
	pollUntil(db, 5) // it is delivered by the next poll
	fmt.Println("delivered\t" + strings.Join(delivered, " "))
	fmt.Println("place\tt")
}
