// Boilerpipe, speaking bench's JSON lines (docs/protocol.md). Run as one source file: java Boilerpipe.java

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import de.l3s.boilerpipe.extractors.ExtractorBase;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static java.nio.charset.StandardCharsets.UTF_8;

public final class Boilerpipe {
    private static final Gson JSON = new Gson();
    private static ExtractorBase extractor;

    public static void main(String[] words) throws IOException {
        PrintStream replies = new PrintStream(new FileOutputStream(FileDescriptor.out), false, UTF_8);
        // Standard output belongs to the protocol: what libraries print goes to standard error.
        System.setOut(System.err);
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line; (line = requests.readLine()) != null; ) {
            JsonObject request = JsonParser.parseString(line).getAsJsonObject();
            boolean loads = request.get("op").getAsString().equals("load");
            replies.print(JSON.toJson(loads ? load(request) : extract(request)) + "\n");
            replies.flush();
        }
    }

    private static JsonObject load(JsonObject request) {
        JsonObject reply = new JsonObject();
        try {
            String name = request.getAsJsonObject("settings").get("extractor").getAsString();
            Class<?> chosen = Class.forName("de.l3s.boilerpipe.extractors." + name);
            extractor = (ExtractorBase) chosen.getField("INSTANCE").get(null);
            reply.addProperty("protocol", 1);
            reply.addProperty("name", "boilerpipe");
            reply.addProperty("version", versionOf(ExtractorBase.class, "boilerpipe"));
            String parser = versionOf(org.cyberneko.html.HTMLConfiguration.class, "nekohtml");
            String java = "java==" + System.getProperty("java.version");
            reply.add("packages", JSON.toJsonTree(List.of("nekohtml==" + parser, java)));
        } catch (Exception | LinkageError error) {
            reply.addProperty("error", trace(error));
        }
        return reply;
    }

    private static JsonObject extract(JsonObject request) {
        JsonObject reply = new JsonObject();
        reply.add("id", request.get("id"));
        try {
            reply.addProperty("text", extractor.getText(request.get("html").getAsString()));
        } catch (Exception | StackOverflowError error) {
            reply.addProperty("error", trace(error));
        }
        return reply;
    }

    /** Returns the version in the name of the jar that a class comes from. */
    private static String versionOf(Class<?> type, String name) throws Exception {
        Path jar = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        Pattern versioned = Pattern.compile(Pattern.quote(name) + "-(.+)\\.jar");
        Matcher found = versioned.matcher(jar.toRealPath().getFileName().toString());
        return found.matches() ? found.group(1) : "unknown";
    }

    private static String trace(Throwable error) {
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
