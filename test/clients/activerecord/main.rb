require_relative '../common'
require 'active_record'

# recipe: types
require 'active_record/connection_adapters/postgresql_adapter'

class ActiveRecord::ConnectionAdapters::PostgreSQLAdapter
  NATIVE_DATABASE_TYPES.merge!(snowflake: { name: 'snowflake' }, ulid: { name: 'ulid' }, sno: { name: 'sno' })
  prepend(Module.new do
    def initialize_type_map(map = type_map)
      super
      map.register_type 'snowflake', ActiveModel::Type::BigInteger.new
      %w[ulid sno].each { |type| map.register_type type, ActiveModel::Type::String.new }
    end
  end)
end
# end

ActiveRecord::Base.establish_connection(ENV.fetch('DATABASE_URL'))

# recipe: model
class Message < ActiveRecord::Base
  self.table_name = 'message'
end
# end

# recipe: insert
id = Message.create!(body: 'from the client').id
# end
raise id.inspect unless id.is_a?(SCHEME == 'snowflake' ? Integer : String)
say 'inserted', id

id = Message.find_by!(body: 'r05').id
say 'read', id

# recipe: find
message = Message.find(id)
# end
say 'found', message.body

# recipe: time
between = Message.where("id >= #{SCHEME}_lower_bound(?) AND id < #{SCHEME}_lower_bound(?)", SINCE, UNTIL).order(:id)
# end
say 'lower_bound', *between.pluck(:body)

# recipe: made
recent = Message.select("*, #{SCHEME}_time(id) AS made").where("#{SCHEME}_time(id) >= ? AND #{SCHEME}_time(id) < ?", SINCE, UNTIL).order(:id)
# end
raise 'other rows' unless recent.map(&:body) == between.map(&:body)
Message.connection.execute('SET enable_seqscan = off') # the table is small
raise recent.explain.inspect unless recent.explain.inspect.match?(/Index Cond: .*\bid\b.* >= /)

time = KIND == 'bigint' ? 'id::snowflake' : 'id'
say 'timestamptz', *Message.where("#{time} >= ?::timestamptz AND #{time} < ?::timestamptz", SINCE, UNTIL).order(:id).pluck(:body)

say_pages(Message.order(id: :desc).limit(5).pluck(:id)) do |last|
  # recipe: page
  page = Message.where('id < ?', last).order(id: :desc).limit(5)
  # end
  page.pluck(:id)
end

# A table that a migration has made, and another has changed.
ActiveRecord::Migration.verbose = false
class CreateNote < ActiveRecord::Migration[6.1]
  def change
    # recipe: migration
    create_table :note, id: false do |t|
      t.column :id, KIND, primary_key: true, default: -> { "#{SCHEME}_next()" }
      t.text :body
    end
    # end
  end
end
class AddStars < ActiveRecord::Migration[6.1]
  def change
    add_column :note, :stars, :integer, null: false, default: 5
  end
end
CreateNote.migrate(:up)
AddStars.migrate(:up)
class Note < ActiveRecord::Base
  self.table_name = 'note'
end
raise 'lost' unless Note.find(Note.create!(body: 'from a migrated table').id).stars == 5

# schema.rb has the column and its default.
# recipe: dump
ActiveRecord::SchemaDumper.ignore_tables = [/^snowid_/] # what the extension owns
# end
schema = StringIO.new
ActiveRecord::SchemaDumper.dump(ActiveRecord.version >= Gem::Version.new('7.2') ? Message.connection_pool : Message.connection, schema)
raise schema.string unless schema.string.include?(%(default: -> { "#{SCHEME}_next()" })) && !schema.string.include?('create_table "snowid')
warn schema.string if ENV['SHOW']
