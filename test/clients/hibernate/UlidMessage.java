import javax.persistence.*;
import org.hibernate.annotations.GenericGenerator;
import org.hibernate.annotations.Parameter;
import org.hibernate.annotations.Type;

@Entity
@Table(name = "message")
public class UlidMessage {
    // recipe: ulid
    @Id
    @GenericGenerator(name = "ulid", strategy = "NextId", parameters = @Parameter(name = "function", value = "ulid_next"))
    @GeneratedValue(generator = "ulid")
    @Type(type = "UlidType")
    @Column(columnDefinition = "ulid")
    public String id;
    // end

    public String body;
}
