import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.zip.CRC32;
import org.apache.jena.atlas.json.*;
import org.apache.jena.query.*;
import org.apache.jena.riot.*;
import org.apache.jena.riot.resultset.ResultSetLang;
import org.apache.jena.tdb2.TDB2Factory;

/** Reads requests, a line of JSON each, and runs queries over a TDB2 store. */
public class Peer {
    public static void main(String[] args) throws Exception {
        Dataset store = null;
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8");
        for (String line; (line = in.readLine()) != null; ) {
            JsonObject req = JSON.parse(line);
            String answer;
            try {
                if (!req.hasKey("query")) {
                    store = TDB2Factory.connectDataset(args[0]);
                    answer = "{\"version\": \"" + ARQ.VERSION + "\"}";
                } else {
                    answer = "{\"time\": " + run(store, req.getString("query"), req.hasKey("rows") ? req.getString("rows") : "") + "}";
                }
            } catch (Exception e) {
                JsonObject o = new JsonObject();
                o.put("error", String.valueOf(e));
                answer = o.toString().replace("\n", " ");
            }
            out.println(answer);
        }
    }

    static double run(Dataset store, String text, String rows) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream(1 << 16);
        long start = System.nanoTime();
        store.begin(ReadWrite.READ);
        try (QueryExecution exec = QueryExecutionFactory.create(QueryFactory.create(text), store)) {
            Query q = exec.getQuery();
            if (q.isSelectType()) {
                ResultSetFormatter.output(out, exec.execSelect(), ResultSetLang.RS_JSON);
            } else if (q.isAskType()) {
                ResultSetFormatter.outputAsJSON(out, exec.execAsk());
            } else if (q.isConstructType()) {
                RDFDataMgr.write(out, exec.execConstruct(), Lang.NTRIPLES);
            } else {
                RDFDataMgr.write(out, exec.execDescribe(), Lang.NTRIPLES);
            }
        } finally {
            store.end();
        }
        byte[] bytes = out.toByteArray();
        new CRC32().update(bytes);
        double took = (System.nanoTime() - start) / 1e9;
        if (!rows.isEmpty()) {
            Files.write(Path.of(rows), bytes);
        }
        return took;
    }
}
