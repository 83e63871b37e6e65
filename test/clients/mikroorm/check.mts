// A schema that is compared is the same, and one that is made has the default.
if (typeof id !== 'string') throw id;
await orm.reconnect();
const changes = await orm.schema.getUpdateSchemaSQL({ wrap: false });
if (changes !== '') throw changes;
const made = await orm.schema.getCreateSchemaSQL();
if (!made.includes(`"id" ${process.env.KIND} not null default ${process.env.SCHEME}_next()`)) throw made;
await orm.close();
