import java.util.UUID;
import javax.persistence.*;
import org.hibernate.annotations.GenericGenerator;
import org.hibernate.annotations.Parameter;
import org.hibernate.annotations.Type;

@Entity
@Table(name = "message")
public class UuidMessage {
    // recipe: uuid
    @Id
    @GenericGenerator(name = "uuidv7", strategy = "NextId", parameters = @Parameter(name = "function", value = "uuidv7_next"))
    @GeneratedValue(generator = "uuidv7")
    @Type(type = "pg-uuid")
    @Column(columnDefinition = "uuid")
    public UUID id;
    // end

    public String body;
}
