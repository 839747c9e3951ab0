import org.eclipse.rdf4j.model.ValueFactory;
import org.eclipse.rdf4j.model.impl.SimpleValueFactory;
import org.eclipse.rdf4j.query.BooleanQuery;
import org.eclipse.rdf4j.query.QueryResults;
import org.eclipse.rdf4j.query.TupleQuery;
import org.eclipse.rdf4j.repository.RepositoryConnection;
import org.eclipse.rdf4j.repository.sparql.SPARQLRepository;

/** RDF4J's SPARQLRepository against the server whose address is the argument. */
public class Client {
    public static void main(String[] args) {
        SPARQLRepository repository = new SPARQLRepository(args[0] + "/sparql", args[0] + "/update");
        repository.init();
        ValueFactory f = SimpleValueFactory.getInstance();
        try (RepositoryConnection c = repository.getConnection()) {
            c.prepareUpdate("INSERT DATA { <http://ex/java> <http://ex/name> \"Java\"@en, 7 }").execute();
            TupleQuery q = c.prepareTupleQuery("SELECT ?n { ?s <http://ex/name> ?n }");
            q.setBinding("s", f.createIRI("http://ex/java"));
            q.setMaxExecutionTime(10);
            check("rows", QueryResults.asList(q.evaluate()).size(), 2);
            BooleanQuery ask = c.prepareBooleanQuery("ASK { <http://ex/java> ?p 7 }");
            check("ask", ask.evaluate() ? 1 : 0, 1);
            check("graph", QueryResults.asList(c.prepareGraphQuery("CONSTRUCT WHERE { <http://ex/java> ?p ?o }").evaluate()).size(), 2);
            c.begin();
            c.add(f.createIRI("http://ex/java"), f.createIRI("http://ex/age"), f.createLiteral(3), f.createIRI("http://ex/g"));
            c.commit();
            check("statements", QueryResults.asList(c.getStatements(null, f.createIRI("http://ex/age"), null, f.createIRI("http://ex/g"))).size(), 1);
            c.remove(f.createIRI("http://ex/java"), null, null);
            check("removed", QueryResults.asList(c.getStatements(f.createIRI("http://ex/java"), null, null)).size(), 0);
        } finally {
            repository.shutDown();
        }
    }

    private static void check(String what, int got, int want) {
        if (got != want) {
            throw new AssertionError(what + ": got " + got + ", want " + want);
        }
    }
}
