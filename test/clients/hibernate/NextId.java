// recipe: generator
import java.io.Serializable;
import java.sql.*;
import java.util.Properties;
import org.hibernate.dialect.Dialect;
import org.hibernate.engine.SessionImplementor;
import org.hibernate.id.*;
import org.hibernate.type.Type;

/** Asks the database for an id before the INSERT, for the types that IDENTITY does not take. */
public class NextId implements IdentifierGenerator, Configurable {
    private String function;
    private boolean uuid;

    public void configure(Type type, Properties parameters, Dialect dialect) {
        function = parameters.getProperty("function");
        uuid = type.getReturnedClass() == java.util.UUID.class;
    }

    public Serializable generate(SessionImplementor session, Object entity) {
        Connection db = session.getJDBCContext().getConnectionManager().getConnection();
        try (ResultSet row = db.createStatement().executeQuery("SELECT " + function + "()")) {
            row.next();
            return uuid ? (Serializable) row.getObject(1) : row.getString(1);
        } catch (SQLException error) {
            throw new org.hibernate.exception.GenericJDBCException("no id", error);
        }
    }
}
// end
