
-- what snowid_check() asks ---------------------------------------------------------

-- Refuses those who are not members of pg_monitor.
CREATE FUNCTION _snowid.require_monitor(what text) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_require_monitor' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _snowid.library_version() RETURNS text
    AS 'MODULE_PATHNAME', 'snowid_library_version' LANGUAGE C STABLE STRICT PARALLEL SAFE;
-- How far the start has come, the database that cannot be read, a leap of the clock that nobody has accepted, the
-- layout, and whether a time service keeps the clock.
CREATE FUNCTION _snowid.state(
    OUT start text, OUT database text, OUT leap interval, OUT layout text, OUT synchronised boolean)
    AS 'MODULE_PATHNAME', 'snowid_state' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
-- What is wrong with a value of snowid.layout or snowid.worker_id under a layout; NULL for nothing.
CREATE FUNCTION _snowid.setting_fault(name text, value text, layout text) RETURNS text
    AS 'MODULE_PATHNAME', 'snowid_setting_fault' LANGUAGE C STABLE STRICT PARALLEL SAFE;
-- Why no id can be made by a row of _snowid.generator; NULL for one that can.
CREATE FUNCTION _snowid.generator_fault(generator _snowid.generator) RETURNS text
    AS 'MODULE_PATHNAME', 'snowid_generator_fault' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;
