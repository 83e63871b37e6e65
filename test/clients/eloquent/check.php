
assert(is_int($id) === (getenv('SCHEME') === 'snowflake'));
DB::schema()->table('note', fn (Blueprint $table) => $table->integer('stars')->default(5));
assert(Message::findOrFail(Message::create(['body' => 'from a changed table'])->id)->stars === 5);
