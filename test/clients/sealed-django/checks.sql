-- The answer has the sealed id; what is forged, unsealed, of another kind or mistyped is not found.
SELECT 'sealed', id_seal(id, 'msg') FROM message WHERE body = 'r05';
SELECT 'found', 'r05';
SELECT 'status', 404, 404, 404, 404;
