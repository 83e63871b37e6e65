// recipe: kit
export default {
    dialect: 'postgresql',
    schema: './schema.mjs',
    dbCredentials: { url: process.env.DATABASE_URL },
    tablesFilter: ['!snowid_*'], // or drizzle-kit wants to drop what the extension owns
};
// end
