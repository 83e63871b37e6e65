\echo Use "CREATE EXTENSION snowid" to load this file. \quit

-- The schema may hold what others have made. Calls in this script name the schema of what they call, or their arguments fit
-- exactly; what the bodies of SQL functions name is bound while they are created, so these are created under a search_path
-- on which nobody else makes anything.
