# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# Java: compiled, then run with threads, mapped files and a child
# needs javac java
# derives sum.txt from numbers.txt Work.class
# derives Work.class from Work.java
cat >Work.java <<'END'
import java.io.*;
import java.nio.*;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.util.stream.*;

public class Work {
	public static void main(String[] args) throws Exception {
		long sum = Files.lines(Path.of("numbers.txt")).mapToLong(Long::parseLong).sum();
		IntStream.range(0, 8).parallel().forEach(n -> {
			try (FileChannel c = FileChannel.open(Path.of("part" + n), StandardOpenOption.CREATE,
					StandardOpenOption.READ, StandardOpenOption.WRITE)) {
				MappedByteBuffer b = c.map(FileChannel.MapMode.READ_WRITE, 0, 4096);
				for (int i = 0; i < 4096; i++)
					b.put(i, (byte) (i * n));
			} catch (IOException e) {
				System.out.println(e);
			}
		});
		Process p = new ProcessBuilder("sort", "-r", "numbers.txt").redirectOutput(new File("sorted")).start();
		System.out.println("child: " + p.waitFor());
		Files.writeString(Path.of("sum.txt"), sum + "\n");
		Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
		System.exit(5);
	}
}
END
seq 1000 >numbers.txt
javac Work.java
java -Xshare:auto -XX:-UsePerfData Work || echo "status $?"
