require_relative '../common'
# recipe: connect
require 'pg'

db = PG.connect(ENV.fetch('DATABASE_URL'))
# Values as Ruby's: a snowflake is an Integer like a bigint, and what has no type of Ruby's is a String.
types = PG::BasicTypeMapForResults.new(db)
types.default_type_map = PG::TypeMapAllStrings.new
types.add_coder(PG::TextDecoder::Integer.new(name: 'snowflake', oid: db.exec("SELECT 'snowflake'::regtype::oid").getvalue(0, 0).to_i))
db.type_map_for_results = types
db.type_map_for_queries = PG::BasicTypeMapForQueries.new(db)
# end

# recipe: insert
id = db.exec_params('INSERT INTO message (body) VALUES ($1) RETURNING id', ['from the client']).getvalue(0, 0)
# end
raise id.inspect unless id.is_a?(SCHEME == 'snowflake' ? Integer : String)
say 'inserted', id

id = db.exec("SELECT id FROM message WHERE body = 'r05'").getvalue(0, 0)
say 'read', id

# recipe: find
found = db.exec_params('SELECT body FROM message WHERE id = $1', [id])
# end
say 'found', found.getvalue(0, 0)

# recipe: time
between = db.exec_params(
  "SELECT body FROM message WHERE id >= #{SCHEME}_lower_bound($1) AND id < #{SCHEME}_lower_bound($2) ORDER BY id", [SINCE, UNTIL]
)
# end
say 'lower_bound', *between.column_values(0)

time = KIND == 'bigint' ? 'id::snowflake' : 'id'
cast = db.exec_params("SELECT body FROM message WHERE #{time} >= $1::timestamptz AND #{time} < $2::timestamptz ORDER BY id", [SINCE, UNTIL])
say 'timestamptz', *cast.column_values(0)

say_pages(db.exec('SELECT id FROM message ORDER BY id DESC LIMIT 5').column_values(0)) do |last|
  # recipe: page
  page = db.exec_params('SELECT id FROM message WHERE id < $1 ORDER BY id DESC LIMIT 5', [last])
  # end
  page.column_values(0)
end
