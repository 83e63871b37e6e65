\echo Use "CREATE EXTENSION snowid" to load this file. \quit
