// Package postgres keeps memories in PostgreSQL, plain or distributed by Citus.
package postgres

import (
	_ "github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/pressly/goose/v3/lock"
)
