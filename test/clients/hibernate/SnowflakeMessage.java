import javax.persistence.*;

@Entity
@Table(name = "message")
public class SnowflakeMessage {
    // recipe: snowflake
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    @Column(columnDefinition = "snowflake") // or hbm2ddl says that it expects int8
    public Long id;
    // end

    public String body;
}
