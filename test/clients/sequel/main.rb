require_relative '../common'
# recipe: connect
require 'sequel'

DB = Sequel.connect(ENV.fetch('DATABASE_URL'))
# Without this, ids of type snowflake are read as strings.
DB.add_named_conversion_proc(:snowflake) { |text| Integer(text) }
# end

# recipe: insert
id = DB[:message].insert(body: 'from the client')
# end
raise id.inspect unless id.is_a?(SCHEME == 'snowflake' ? Integer : String)
say 'inserted', id

id = DB[:message].first(body: 'r05')[:id]
say 'read', id

# recipe: find
message = DB[:message].first(id: id)
# end
say 'found', message[:body]

# recipe: time
lower_bound = ->(time) { Sequel.function(:"#{SCHEME}_lower_bound", time) }
between = DB[:message].where((Sequel[:id] >= lower_bound[SINCE]) & (Sequel[:id] < lower_bound[UNTIL])).order(:id)
# end
say 'lower_bound', *between.select_map(:body)

time = KIND == 'bigint' ? 'id::snowflake' : 'id'
say 'timestamptz', *DB[:message].where(Sequel.lit("#{time} >= ?::timestamptz AND #{time} < ?::timestamptz", SINCE, UNTIL)).order(:id).select_map(:body)

say_pages(DB[:message].reverse(:id).limit(5).select_map(:id)) do |last|
  # recipe: page
  page = DB[:message].where(Sequel[:id] < last).reverse(:id).limit(5)
  # end
  page.select_map(:id)
end

# A table that a migration has made, and another has changed, under a model.
# recipe: migration
DB.create_table(:note) do
  column :id, KIND, primary_key: true, default: Sequel.function(:"#{SCHEME}_next")
  String :body
end
# end
DB.alter_table(:note) { add_column :stars, Integer, default: 5 }
class Note < Sequel::Model(:note); end
raise 'lost' unless Note[Note.create(body: 'from a model').id].stars == 5
# recipe: dump
DB.extension :schema_dumper
tables = DB.tables.grep_v(/\Asnowid_/) # not what the extension owns
schema = tables.map { |table| DB.dump_table_schema(table, same_db: true) }.join("\n")
# end
raise schema unless schema.scan(%(column :id, "#{KIND}", :default=>Sequel::LiteralString.new("#{SCHEME}_next()"))).size == 2
