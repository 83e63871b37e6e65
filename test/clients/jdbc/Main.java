import java.sql.*;
import java.time.OffsetDateTime;
import java.util.*;

public class Main {
    static final String kind = System.getenv("KIND"), scheme = System.getenv("SCHEME");
    static final OffsetDateTime since = OffsetDateTime.parse("2025-06-15T03:00:00.250Z"), until = since.plusHours(3);

    static void say(String what, List<?> values) {
        System.out.println(what + "\t" + String.join(" ", values.stream().map(String::valueOf).toList()));
    }

    static List<Object> column(ResultSet rows) throws SQLException {
        List<Object> values = new ArrayList<>();
        while (rows.next()) values.add(rows.getObject(1));
        return values;
    }

    // recipe: parameter
    /** An id as a parameter. A type that JDBC does not know goes as a text that the server reads. */
    static void setId(PreparedStatement statement, int index, Object id) throws SQLException {
        if (id instanceof Long || id instanceof UUID) statement.setObject(index, id);
        else statement.setObject(index, id.toString(), Types.OTHER);
    }
    // end

    static Object insert(Connection db) throws SQLException {
        // recipe: insert
        PreparedStatement insert = db.prepareStatement("INSERT INTO message (body) VALUES (?)", new String[] {"id"});
        insert.setString(1, "from the client");
        insert.executeUpdate();
        ResultSet keys = insert.getGeneratedKeys();
        keys.next();
        Object id = keys.getObject("id"); // a Long, a UUID, or a PGobject for the types snowflake, ulid and sno
        // end
        if (scheme.equals("snowflake")) {
            // recipe: long
            long number = keys.getLong("id"); // works for snowflake as for bigint
            // end
            if (!id.toString().equals(Long.toString(number))) throw new AssertionError(id);
        }
        return id;
    }

    static List<Object> between(Connection db) throws SQLException {
        // recipe: time
        PreparedStatement between = db.prepareStatement(
            "SELECT body FROM message WHERE id >= " + scheme + "_lower_bound(?) AND id < " + scheme + "_lower_bound(?) ORDER BY id");
        between.setObject(1, since); // an OffsetDateTime
        between.setObject(2, until);
        // end
        return column(between.executeQuery());
    }

    static List<Object> cast(Connection db) throws SQLException {
        String time = kind.equals("bigint") ? "id::snowflake" : "id";
        PreparedStatement cast = db.prepareStatement(
            "SELECT body FROM message WHERE " + time + " >= ?::timestamptz AND " + time + " < ?::timestamptz ORDER BY id");
        cast.setTimestamp(1, Timestamp.from(since.toInstant()));
        cast.setTimestamp(2, Timestamp.from(until.toInstant()));
        return column(cast.executeQuery());
    }

    static void pages(Connection db) throws SQLException {
        List<Object> ids = column(db.createStatement().executeQuery("SELECT id FROM message ORDER BY id DESC LIMIT 5"));
        while (!ids.isEmpty()) {
            say("page", ids);
            // recipe: page
            PreparedStatement page = db.prepareStatement("SELECT id FROM message WHERE id < ? ORDER BY id DESC LIMIT 5");
            setId(page, 1, ids.get(ids.size() - 1));
            // end
            ids = column(page.executeQuery());
        }
    }

    public static void main(String[] arguments) throws SQLException {
        String url = "jdbc:postgresql://" + System.getenv("PGHOST") + ":" + System.getenv("PGPORT") + "/" + System.getenv("PGDATABASE");
        Connection db = DriverManager.getConnection(url, System.getenv("PGUSER"), System.getenv("PGPASSWORD"));
        say("inserted", List.of(insert(db)));

        List<Object> read = column(db.createStatement().executeQuery("SELECT id FROM message WHERE body = 'r05'"));
        say("read", read);

        // recipe: find
        PreparedStatement find = db.prepareStatement("SELECT body FROM message WHERE id = ?");
        setId(find, 1, read.get(0));
        // end
        say("found", column(find.executeQuery()));

        say("lower_bound", between(db));
        say("timestamptz", cast(db));
        pages(db);
    }
}
