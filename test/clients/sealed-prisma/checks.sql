SELECT 'sealed', id_seal(id, 'msg') FROM message WHERE body = 'r05';
SELECT 'found', 'r05';
SELECT 'made', id_seal(id, 'msg') FROM message WHERE body = 'by prisma';
