"""Command lines through one process that forks per case: thousands of short cases per minute instead of hundreds."""
import os
import re
import struct
import subprocess

from soak_campaigns.preload import built


class Ended:
    """How a case ended: exit code (or minus the signal), whether it was interrupted or hung, seconds of the processor."""

    def __init__(self, answer, stdout, stderr):
        status, interrupted, cpu, self.peak_kb = answer
        self.code = os.waitstatus_to_exitcode(status)
        self.interrupted, self.hung = interrupted > 0, interrupted > 1
        self.seconds = cpu * 1e-6
        self.stdout, self.stderr = stdout, stderr


class ForkServer:
    """`run(words)` is `lithe WORDS...` in `folder`. Limits and grace are seconds of the processor."""

    def __init__(self, program, folder, address_space=6 << 30, file_size=512 << 20, environment=None):
        self.address_space, self.file_size = address_space, file_size
        self.out, self.err = os.memfd_create("out"), os.memfd_create("err")
        asks, self.asked = os.pipe()
        self.answered, answers = os.pipe()

        def descriptors():
            for number, source in zip(range(100, 104), (asks, answers, self.out, self.err)):
                os.dup2(source, number)
            os.setpgid(0, 0)

        self.process = subprocess.Popen([str(program)], cwd=folder, stdin=subprocess.DEVNULL, preexec_fn=descriptors,
                                        close_fds=False, env={**os.environ, **(environment or {}), "LD_BIND_NOW": "1", "LD_PRELOAD": str(built("fork_server"))})
        os.close(asks)
        os.close(answers)

    def run(self, words, limit=20, grace=20, cpu=0):
        return self.request(b"lithe\0" + b"".join(os.fsencode(word) + b"\0" for word in words), limit, grace, cpu)

    def run_many(self, lines, limit=20, grace=20):
        """Many short command lines in one child. Those before the first that ends the child; each (code, stdout, stderr)."""
        data = b"".join(b"lithe\0" + b"".join(os.fsencode(word) + b"\0" for word in words) + b"\x1e\0" for words in lines)
        ended = self.request(data, limit, grace, 0)
        parts = [re.split(rb"\x1e(-?\d+)\n", text) for text in (ended.stdout, ended.stderr)]
        codes = [int(code) for code in parts[0][1::2]]
        return list(zip(codes, parts[0][0::2], parts[1][0::2]))

    def request(self, data, limit, grace, cpu):
        head = struct.pack("<IIIIQQ", len(data), int(1000 * limit), int(1000 * grace), int(cpu), self.address_space, self.file_size)
        data = head + data
        while data:
            data = data[os.write(self.asked, data):]
        answer = b""
        while len(answer) < 24:
            part = os.read(self.answered, 24 - len(answer))
            if not part:
                raise RuntimeError("the fork server has ended")
            answer += part
        return Ended(struct.unpack("<iiqq", answer), self.text(self.out), self.text(self.err))

    @staticmethod
    def text(file):
        size = os.fstat(file).st_size
        return os.pread(file, min(size, 64 << 20), 0)

    def close(self):
        os.close(self.asked)
        self.process.wait(timeout=30)
        for file in (self.answered, self.out, self.err):
            os.close(file)
