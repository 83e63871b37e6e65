// recipe: ulidtype
import java.io.Serializable;
import java.sql.*;
import java.util.Objects;
import org.hibernate.usertype.UserType;

/** A ulid or a sno as a String: types that JDBC does not know, so they go as a text that the server reads. */
public class UlidType implements UserType {
    public int[] sqlTypes() { return new int[] {Types.OTHER}; }
    public Class<?> returnedClass() { return String.class; }

    public Object nullSafeGet(ResultSet row, String[] names, Object owner) throws SQLException {
        return row.getString(names[0]);
    }

    public void nullSafeSet(PreparedStatement statement, Object value, int index) throws SQLException {
        statement.setObject(index, value, Types.OTHER);
    }

    public boolean equals(Object x, Object y) { return Objects.equals(x, y); }
    public int hashCode(Object x) { return Objects.hashCode(x); }
    public Object deepCopy(Object value) { return value; }
    public boolean isMutable() { return false; }
    public Serializable disassemble(Object value) { return (Serializable) value; }
    public Object assemble(Serializable cached, Object owner) { return cached; }
    public Object replace(Object original, Object target, Object owner) { return original; }
}
// end
