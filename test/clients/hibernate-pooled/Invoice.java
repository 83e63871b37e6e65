import javax.persistence.*;
import org.hibernate.annotations.GenericGenerator;
import org.hibernate.annotations.Parameter;

// recipe: pooled
@Entity
public class Invoice {
    @Id
    @GeneratedValue(generator = "invoice")
    @GenericGenerator(name = "invoice", strategy = "enhanced-sequence", parameters = {
        @Parameter(name = "sequence_name", value = "invoice_seq"),
        @Parameter(name = "increment_size", value = "50"),  // CREATE SEQUENCE invoice_seq INCREMENT 50
        @Parameter(name = "optimizer", value = "pooled-lo")})
    public Long id;
}
// end
