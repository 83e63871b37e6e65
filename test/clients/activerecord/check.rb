# After a table that a migration has made: another changes it, the plan has an index, and schema.rb has the column and its default.
raise id.inspect unless id.is_a?(ENV['SCHEME'] == 'snowflake' ? Integer : String)
ActiveRecord::Schema.define { add_column :note, :stars, :integer, null: false, default: 5 }
Message.reset_column_information
raise 'lost' unless Message.find(Message.create!(body: 'from a changed table').id).stars == 5
Message.connection.execute('SET enable_seqscan = off') # the table is small
raise recent.explain.inspect unless recent.explain.inspect.match?(/Index Cond: .*\bid\b.* >= /)
schema = StringIO.new
ActiveRecord::SchemaDumper.dump(ActiveRecord.version >= Gem::Version.new('7.2') ? Message.connection_pool : Message.connection, schema)
raise schema.string unless schema.string.include?(%(default: -> { "#{ENV['SCHEME']}_next()" })) && !schema.string.include?('create_table "snowid')
