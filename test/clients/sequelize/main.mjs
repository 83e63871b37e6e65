import { assert, kind, say, sayPages, scheme, since, until } from '../common.mjs';
// recipe: model
import { DataTypes, Op, Sequelize } from 'sequelize';

const sequelize = new Sequelize(process.env.DATABASE_URL, { logging: false });
const Message = sequelize.define('Message', {
    id: { type: kind, primaryKey: true, defaultValue: sequelize.literal(`${scheme}_next()`) },
    body: { type: DataTypes.TEXT, allowNull: false },
}, { tableName: 'message', timestamps: false });
// end

// recipe: insert
const { id } = await Message.create({ body: 'from the client' }); // a string
// end
assert.equal(typeof id, 'string');
say('inserted', id);

const read = await Message.findOne({ where: { body: 'r05' } });
say('read', read.id);

// recipe: find
const found = await Message.findByPk(read.id);
// end
say('found', found.body);

// recipe: time
const lowerBound = (time) => sequelize.fn(`${scheme}_lower_bound`, time);
const between = await Message.findAll({
    where: { id: { [Op.gte]: lowerBound(since), [Op.lt]: lowerBound(until) } },
    order: ['id'],
});
// end
say('lower_bound', ...between.map((row) => row.body));

const time = kind === 'bigint' ? sequelize.cast(sequelize.col('id'), 'snowflake') : sequelize.col('id');
const cast = await Message.findAll({
    where: {
        [Op.and]: [
            sequelize.where(time, Op.gte, sequelize.cast(since, 'timestamptz')),
            sequelize.where(time, Op.lt, sequelize.cast(until, 'timestamptz')),
        ],
    },
    order: ['id'],
});
say('timestamptz', ...cast.map((row) => row.body));

const first = await Message.findAll({ order: [['id', 'DESC']], limit: 5 });
async function next(cursor) {
    // recipe: page
    const page = await Message.findAll({ where: { id: { [Op.lt]: cursor } }, order: [['id', 'DESC']], limit: 5 });
    // end
    return page.map((row) => row.id);
}
await sayPages(first.map((row) => row.id), next);

await sequelize.sync({ alter: true });
assert.equal((await Message.findByPk(read.id)).body, 'r05');
await sequelize.close();
