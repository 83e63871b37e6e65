import java.sql.*;
import java.util.*;
import org.hibernate.*;
import org.hibernate.cfg.Configuration;

// Two servers of an application, which take numbers from one sequence in ranges, beside SQL that takes one at a time.
public class Main {
    static final String url = "jdbc:postgresql://" + System.getenv("PGHOST") + ":" + System.getenv("PGPORT") + "/" + System.getenv("PGDATABASE");
    static final String user = System.getenv("PGUSER"), password = System.getenv("PGPASSWORD");

    static SessionFactory application() {
        Configuration configuration = new Configuration().addAnnotatedClass(Invoice.class);
        configuration.setProperty("hibernate.connection.driver_class", "org.postgresql.Driver");
        configuration.setProperty("hibernate.connection.url", url);
        configuration.setProperty("hibernate.connection.username", user);
        configuration.setProperty("hibernate.connection.password", password);
        configuration.setProperty("hibernate.dialect", "org.hibernate.dialect.PostgreSQLDialect");
        return configuration.buildSessionFactory();
    }

    static List<Long> insert(SessionFactory application, int count) {
        List<Long> ids = new ArrayList<>();
        Session session = application.openSession();
        Transaction transaction = session.beginTransaction();
        for (int i = 0; i < count; ++i) ids.add((Long) session.save(new Invoice()));
        transaction.commit();
        session.close();
        return ids;
    }

    public static void main(String[] arguments) throws Exception {
        try (Connection db = DriverManager.getConnection(url, user, password); Statement sql = db.createStatement()) {
            sql.execute("CREATE TABLE invoice (id bigint PRIMARY KEY)");
            sql.execute("CREATE SEQUENCE invoice_seq INCREMENT 50");
            SessionFactory one = application(), two = application();
            List<Long> ids = new ArrayList<>(insert(one, 70));
            ids.addAll(insert(two, 70));
            sql.execute("INSERT INTO invoice VALUES (nextval('invoice_seq'))");
            ids.addAll(insert(one, 70));
            System.out.println("inserted\t" + ids.size() + "\t" + new HashSet<>(ids).size());
            System.out.println("first\t" + ids.get(0) + "\t" + ids.get(49) + "\t" + ids.get(70));
            ResultSet rows = sql.executeQuery("SELECT count(*), count(DISTINCT id) FROM invoice");
            rows.next();
            System.out.println("rows\t" + rows.getLong(1) + "\t" + rows.getLong(2));
        }
    }
}
