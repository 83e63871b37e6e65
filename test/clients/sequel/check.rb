# After a table that a migration has made: another changes it, and the dumper has the column and its default.
raise id.inspect unless id.is_a?(ENV['SCHEME'] == 'snowflake' ? Integer : String)
DB.alter_table(:note) { add_column :stars, Integer, default: 5 }
class Note < Sequel::Model(:note); end
raise 'lost' unless Note[Note.create(body: 'from a model').id].stars == 5
DB.extension :schema_dumper
schema = DB.tables.map { |table| DB.dump_table_schema(table, same_db: true) }.join("\n")
raise schema unless schema.scan(%(column :id, "#{ENV['KIND']}", :default=>Sequel::LiteralString.new("#{ENV['SCHEME']}_next()"))).size == 2
