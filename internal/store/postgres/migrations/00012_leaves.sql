-- +goose NO TRANSACTION
-- +goose Up
-- Plan: lets the index be written in longer rows, once it is finished
UPDATE schema_version SET version = 12, compatible = 5;
