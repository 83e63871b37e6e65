import java.io.Serializable;
import java.time.Instant;
import java.util.*;
import org.hibernate.*;
import org.hibernate.cfg.Configuration;

public class Main {
    static final String kind = System.getenv("KIND"), scheme = System.getenv("SCHEME");
    static final Date since = Date.from(Instant.parse("2025-06-15T03:00:00.250Z")), until = Date.from(Instant.parse("2025-06-15T06:00:00.250Z"));
    static final Class<?> entity = Map.of("bigint", BigintMessage.class, "snowflake", SnowflakeMessage.class,
                                          "uuid", UuidMessage.class, "ulid", UlidMessage.class, "sno", SnoMessage.class).get(kind);
    static final String name = entity.getName();

    static void say(String what, List<?> values) {
        System.out.println(what + "\t" + String.join(" ", values.stream().map(String::valueOf).toList()));
    }

    static Object field(Object message, String field) throws ReflectiveOperationException { return entity.getField(field).get(message); }

    static Session open() {
        Configuration configuration = new Configuration().addAnnotatedClass(entity);
        configuration.setProperty("hibernate.connection.driver_class", "org.postgresql.Driver");
        configuration.setProperty("hibernate.connection.url",
            "jdbc:postgresql://" + System.getenv("PGHOST") + ":" + System.getenv("PGPORT") + "/" + System.getenv("PGDATABASE"));
        configuration.setProperty("hibernate.connection.username", System.getenv("PGUSER"));
        configuration.setProperty("hibernate.connection.password", System.getenv("PGPASSWORD"));
        configuration.setProperty("hibernate.dialect", "org.hibernate.dialect.PostgreSQLDialect");
        configuration.setProperty("hibernate.hbm2ddl.auto", "validate"); // fails where a column is not what the entity says
        return configuration.buildSessionFactory().openSession();
    }

    static Object insert(Session session) throws ReflectiveOperationException {
        Object message = entity.getConstructor().newInstance();
        entity.getField("body").set(message, "from the client");
        Transaction transaction = session.beginTransaction();
        // recipe: insert
        session.save(message);
        Object id = session.getIdentifier(message);
        // end
        transaction.commit();
        return id;
    }

    static List<?> between(Session session) {
        // recipe: time
        // A function that HQL does not know goes to the database as it is.
        Query between = session.createQuery("select body from " + name + " where id >= " + scheme + "_lower_bound(:since) and id < "
                                            + scheme + "_lower_bound(:until) order by id");
        between.setTimestamp("since", since);
        between.setTimestamp("until", until);
        // end
        return between.list();
    }

    static List<?> cast(Session session) {
        String time = kind.equals("bigint") ? "cast(id as snowflake)" : "id";
        return session.createSQLQuery("SELECT body FROM message WHERE " + time + " >= cast(:since AS timestamptz) AND " + time
                                      + " < cast(:until AS timestamptz) ORDER BY id")
            .setTimestamp("since", since).setTimestamp("until", until).list();
    }

    static void pages(Session session) {
        List<?> ids = session.createQuery("select id from " + name + " order by id desc").setMaxResults(5).list();
        while (!ids.isEmpty()) {
            say("page", ids);
            Object last = ids.get(ids.size() - 1);
            // recipe: page
            Query page = session.createQuery("select id from " + name + " where id < :last order by id desc").setMaxResults(5);
            page.setParameter("last", last, session.getSessionFactory().getClassMetadata(name).getIdentifierType());
            // end
            ids = page.list();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Session session = open();
        say("inserted", List.of(insert(session)));
        Object read = session.createQuery("from " + name + " where body = 'r05'").uniqueResult();
        say("read", List.of(field(read, "id")));
        Serializable id = (Serializable) field(read, "id");
        session.clear();
        // recipe: find
        Object found = session.get(entity, id);
        // end
        say("found", List.of(field(found, "body")));
        say("lower_bound", between(session));
        say("timestamptz", cast(session));
        pages(session);
        session.close();
    }
}
