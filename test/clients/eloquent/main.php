<?php
declare(strict_types=1);
require '../common.php';
require 'Illuminate/Database/autoload.php';

use Illuminate\Database\Capsule\Manager;
use Illuminate\Database\Eloquent\Model;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Database\Schema\Grammars\PostgresGrammar;

$database = new Manager();
$database->addConnection([
    'driver' => 'pgsql', 'host' => getenv('PGHOST'), 'port' => getenv('PGPORT'), 'database' => getenv('PGDATABASE'),
    'username' => getenv('PGUSER'), 'password' => getenv('PGPASSWORD'), 'charset' => 'utf8',
]);
$database->setAsGlobal();
$database->bootEloquent();

// recipe: model
class Message extends Model
{
    protected $table = 'message';
    protected $keyType = KEY_TYPE; // 'int' for a bigint or a snowflake, 'string' for every other
    protected $fillable = ['body'];
    public $timestamps = false;
}
// end
define('KEY_TYPE', $scheme === 'snowflake' ? 'int' : 'string');

// recipe: insert
$id = Message::create(['body' => 'from the client'])->id;
// end
assert(is_int($id) === (KEY_TYPE === 'int'));
say('inserted', [$id]);

$id = Message::firstWhere('body', 'r05')->id;
assert(is_int($id) === (KEY_TYPE === 'int'));
say('read', [$id]);

// recipe: find
$message = Message::findOrFail($id);
// end
say('found', [$message->body]);

// recipe: time
$exact = fn (DateTimeInterface $time) => $time->format('Y-m-d\TH:i:s.uP'); // a date alone loses its zone and its fraction
$between = Message::whereRaw("id >= {$scheme}_lower_bound(?) AND id < {$scheme}_lower_bound(?)", [$exact($since), $exact($until)])
    ->orderBy('id')->get();
// end
say('lower_bound', $between->pluck('body')->all());

$time = $kind === 'bigint' ? 'id::snowflake' : 'id';
say('timestamptz', Message::whereRaw("$time >= ?::timestamptz AND $time < ?::timestamptz", [$exact($since), $exact($until)])
    ->orderBy('id')->pluck('body')->all());

$ids = Message::orderByDesc('id')->limit(5)->pluck('id')->all();
while ($ids) {
    say('page', $ids);
    $last = end($ids);
    // recipe: page
    $page = Message::where('id', '<', $last)->orderByDesc('id')->limit(5)->get();
    // end
    $ids = $page->pluck('id')->all();
}

// recipe: types
// Types that Laravel does not know; in a service provider.
foreach (['snowflake', 'ulid', 'sno'] as $type) {
    PostgresGrammar::macro('type' . ucfirst($type), fn () => $type);
}
// end

// A table that a migration has made, and another has changed.
$schema = Manager::schema();
// recipe: migration
$schema->create('note', function (Blueprint $table) use ($kind, $scheme) {
    $table->addColumn($kind === 'bigint' ? 'bigInteger' : $kind, 'id')->primary()->default(Manager::raw("{$scheme}_next()"));
    $table->text('body');
});
// end
$schema->table('note', fn (Blueprint $table) => $table->integer('stars')->default(5));
class Note extends Message
{
    protected $table = 'note';
}
assert(Note::findOrFail(Note::create(['body' => 'from a migrated table'])->id)->stars === 5);
