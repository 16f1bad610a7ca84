"""Hostile requests to `view --serve`, while a slow client holds its connection: others are served, no file leaks out."""
import re
import signal
import socket
import subprocess
import time

SECRET = b"not for the world"
PIECES = [b"GET", b"HEAD", b"POST", b"/", b"..", b"%2e%2e", b"%2f", b"%00", b"%", b"%zz", b"\\", b"secret.txt", b"motion.html", b"motion.csv",
          b"?", b"#", b" ", b"\r\n", b"\r", b"\n", b"HTTP/1.1", b"HTTP/9.9", b"Host: 127.0.0.1:PORT", b"Host: localhost:PORT",
          b"Host: evil.example", b"Content-Length: -1", b"Content-Length: 99999999999999999999", b"Transfer-Encoding: chunked", b"\x00", b"\xff",
          b"A" * 70000, b"file://", b"http://127.0.0.1/", b"link.csv", b"folder", b".hidden"]


def ask(port, data, wait=10):
    with socket.create_connection(("127.0.0.1", port), timeout=wait) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        try:
            while part := connection.recv(1 << 16):
                answer += part
        except (ConnectionError, socket.timeout):
            pass
        return answer


def run(context):
    folder = context.folder / "served"
    folder.mkdir()
    (context.folder / "secret.txt").write_bytes(SECRET)
    (folder / ".hidden").write_bytes(SECRET)
    (folder / "motion.html").write_text("<p>page</p>")
    (folder / "motion.csv").write_bytes(b"0,1\n" * 500000)
    (folder / "link.csv").symlink_to("../secret.txt")
    (folder / "folder").mkdir()
    server = subprocess.Popen([context.program, "view", "served", "--serve"], cwd=context.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    line = server.stdout.readline()
    port = int(re.search(r":(\d+)", line)[1])
    good = f"GET /motion.html HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    large = f"GET /motion.csv HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    slow = socket.create_connection(("127.0.0.1", port))
    slow.sendall(large)  # and never reads
    dripping = socket.create_connection(("127.0.0.1", port))

    def fail(why):
        context.failures.append((why, "view --serve"))
        print(f"server: {why}", flush=True)

    try:
        while context.goes_on():
            pieces = [context.random.choice(PIECES) for _ in range(context.random.randrange(1, 12))]
            if context.random.random() < 0.5:
                pieces = [b"GET /", *pieces, b" HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"]
            data = b"".join(pieces).replace(b"PORT", str(port).encode())
            context.cases["requests"] += 1
            try:
                if SECRET in ask(port, data):
                    fail(f"a file from outside is served: {data[:200]!r}")
            except ConnectionError:
                pass
            if context.cases["requests"] % 10 == 0:
                begin = time.monotonic()
                if b"<p>page</p>" not in ask(port, good):
                    fail("a good request gets no answer")
                context.slowest["requests"] = max(context.slowest["requests"], time.monotonic() - begin)
                try:
                    dripping.sendall(b"G")
                except OSError:
                    dripping = socket.create_connection(("127.0.0.1", port))
            if server.poll() is not None:
                fail(f"the server has ended with {server.returncode}")
                return
        server.send_signal(signal.SIGINT)
        if server.wait(timeout=30) != 0:
            fail(f"exit code {server.returncode} after Ctrl-C")
    finally:
        if server.poll() is None:
            server.kill()
        server.wait()
        slow.close()
        dripping.close()
