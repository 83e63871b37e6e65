
// A table that Doctrine makes has the default, and what it compares it finds equal.
use Doctrine\ORM\Tools\SchemaTool;

define('KIND', getenv('KIND'));
define('SCHEME', getenv('SCHEME'));

#[ORM\Entity]
#[ORM\Table(name: 'note')]
class Note
{
    #[ORM\Id]
    #[ORM\Column(type: KIND, options: ['default' => SCHEME . '_next()'])]
    #[ORM\GeneratedValue(strategy: 'NONE')]
    public string $id;

    #[ORM\Column(type: 'text', nullable: true)]
    public ?string $body;
}

assert(is_string($recent[0]->id));
$tool = new SchemaTool($em);
$tool->createSchema([$em->getClassMetadata(Note::class)]);
assert($db->fetchOne('INSERT INTO note DEFAULT VALUES RETURNING id::text') > (string) $message->id);
$schemas = $db->createSchemaManager();
$wanted = $tool->getSchemaFromMetadata([$em->getClassMetadata(Message::class), $em->getClassMetadata(Note::class)]);
$changes = $db->getDatabasePlatform()->getAlterSchemaSQL($schemas->createComparator()->compareSchemas($schemas->introspectSchema(), $wanted));
assert($changes === [], implode("\n", $changes));
