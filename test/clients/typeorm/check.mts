// What `synchronize`, or a generated migration, would do if the entity said another type, or that TypeORM makes the ids.
import assert from 'node:assert/strict';
import { DataSource, EntitySchema } from 'typeorm';

async function changesBy(column: any) {
    const entities = [new EntitySchema({ name: 'Other', tableName: 'message', columns: { id: column, body: { type: 'text' } } })];
    const source = new DataSource({ type: 'postgres', url: process.env.DATABASE_URL, entities });
    await source.initialize();
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    await source.destroy();
    return upQueries.map((each) => each.query).join('\n');
}
const kind = process.env.KIND;
if (kind === 'snowflake') {
    assert.match(await changesBy({ type: 'bigint', primary: true, default: () => 'snowflake_next()' }), /DROP COLUMN "id"/);
    await assert.rejects(changesBy({ type: kind, primary: true }), /Data type "snowflake" in "Other.id" is not supported/);
}
if (kind === 'bigint') assert.match(await changesBy({ type: kind, primary: true, generated: 'increment' }), /SET DEFAULT nextval/);
