import javax.persistence.*;
import org.hibernate.annotations.GenericGenerator;
import org.hibernate.annotations.Parameter;
import org.hibernate.annotations.Type;

@Entity
@Table(name = "message")
public class SnoMessage {
    @Id
    @GenericGenerator(name = "sno", strategy = "NextId", parameters = @Parameter(name = "function", value = "sno_next"))
    @GeneratedValue(generator = "sno")
    @Type(type = "UlidType")
    @Column(columnDefinition = "sno")
    public String id;

    public String body;
}
