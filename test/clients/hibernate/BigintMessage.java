import javax.persistence.*;

// recipe: bigint
@Entity
@Table(name = "message")
public class BigintMessage {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY) // the column's default, by RETURNING
    public Long id;

    public String body;
}
// end
