<?php
declare(strict_types=1);
require '../common.php';
require 'Doctrine/ORM/autoload.php';
require 'Symfony/Component/Cache/autoload.php';

use Doctrine\DBAL\DriverManager;
use Doctrine\DBAL\Platforms\AbstractPlatform;
use Doctrine\DBAL\Tools\DsnParser;
use Doctrine\DBAL\Types\PhpIntegerMappingType;
use Doctrine\DBAL\Types\StringType;
use Doctrine\DBAL\Types\Type;
use Doctrine\ORM\EntityManager;
use Doctrine\ORM\EntityManagerInterface;
use Doctrine\ORM\Id\AbstractIdGenerator;
use Doctrine\ORM\Mapping as ORM;
use Doctrine\ORM\ORMSetup;
use Doctrine\ORM\Tools\SchemaTool;

define('KIND', $kind);
define('SCHEME', $scheme);

// recipe: types
// Types that Doctrine does not know, as strings. The interface is the one that has the column's default written without quotes.
class IdType extends StringType implements PhpIntegerMappingType
{
    public function getSQLDeclaration(array $column, AbstractPlatform $platform): string
    {
        return $this->getName();
    }

    public function getName(): string
    {
        return KIND; // 'snowflake', 'uuid', 'ulid' or 'sno'
    }

    public function getMappedDatabaseTypes(AbstractPlatform $platform): array
    {
        return [$this->getName()];
    }
}
Type::hasType(KIND) || Type::addType(KIND, IdType::class);
// end

// recipe: entity
class NextId extends AbstractIdGenerator
{
    public function generateId(EntityManagerInterface $em, $entity): mixed
    {
        return $em->getConnection()->fetchOne('SELECT ' . SCHEME . '_next()');
    }
}

#[ORM\Entity]
#[ORM\Table(name: 'message')]
class Message
{
    #[ORM\Id]
    #[ORM\Column(type: KIND, options: ['default' => SCHEME . '_next()'])]
    #[ORM\GeneratedValue(strategy: 'CUSTOM')]
    #[ORM\CustomIdGenerator(class: NextId::class)]
    public string $id;

    #[ORM\Column(type: 'text')]
    public string $body;
}
// end

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

$db = DriverManager::getConnection((new DsnParser(['postgresql' => 'pdo_pgsql']))->parse(getenv('DATABASE_URL')));
$em = new EntityManager($db, ORMSetup::createAttributeMetadataConfiguration([__DIR__], true));

$message = new Message();
$message->body = 'from the client';
// recipe: insert
$em->persist($message); // has its id from here on
$em->flush();
// end
say('inserted', [$message->id]);

$em->clear();
$id = $em->getRepository(Message::class)->findOneBy(['body' => 'r05'])->id;
say('read', [$id]);

$em->clear();
// recipe: find
$message = $em->find(Message::class, $id);
// end
say('found', [$message->body]);

// recipe: time
// DQL does not know the function: ask for the bound first. Doctrine's types for dates cut off the fraction, or the zone.
$bound = fn (DateTimeInterface $time) => $db->fetchOne('SELECT ' . SCHEME . '_lower_bound(?)', [$time->format('Y-m-d\TH:i:s.uP')]);
$between = $em->createQuery('SELECT m FROM Message m WHERE m.id >= :since AND m.id < :until ORDER BY m.id')
    ->setParameter('since', $bound($since))->setParameter('until', $bound($until))->getResult();
// end
say('lower_bound', array_column($between, 'body'));

$time = $kind === 'bigint' ? 'id::snowflake' : 'id';
say('timestamptz', $db->fetchFirstColumn("SELECT body FROM message WHERE $time >= ?::timestamptz AND $time < ?::timestamptz ORDER BY id",
    [$since->format(DATE_RFC3339_EXTENDED), $until->format(DATE_RFC3339_EXTENDED)]));

$page = $em->createQuery('SELECT m FROM Message m ORDER BY m.id DESC')->setMaxResults(5)->getResult();
while ($page) {
    say('page', array_column($page, 'id'));
    $last = end($page)->id;
    // recipe: page
    $page = $em->createQuery('SELECT m FROM Message m WHERE m.id < :last ORDER BY m.id DESC')
        ->setParameter('last', $last)->setMaxResults(5)->getResult();
    // end
}

// A table that Doctrine makes has the default, and what it compares it finds equal.
$tool = new SchemaTool($em);
$tool->createSchema([$em->getClassMetadata(Note::class)]);
assert($db->fetchOne('INSERT INTO note DEFAULT VALUES RETURNING id::text') > $id);
$schemas = $db->createSchemaManager();
$wanted = $tool->getSchemaFromMetadata($em->getMetadataFactory()->getAllMetadata());
$changes = $db->getDatabasePlatform()->getAlterSchemaSQL($schemas->createComparator()->compareSchemas($schemas->introspectSchema(), $wanted));
assert($changes === [], implode("\n", $changes));
