"""A child that writes until it is killed, as a part of the campaigns' programs."""

# Calls write_number(n) for n = 1, 2, ... in a process that is killed (SIGKILL) some
# seconds after the first; gives the last number that was written whole.
WRITTEN_BY_A_CHILD = r"""
import os, select, signal, time
def written_by_a_child(write_number, seconds):
    told, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            for number in range(1, 1 << 20):
                write_number(number)
                os.write(tell, number.to_bytes(4, "little"))
        finally:
            os._exit(1)
    os.close(tell)
    numbers = os.read(told, 4)  # the first is there
    time.sleep(seconds)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    while select.select([told], [], [], 0)[0]:
        more = os.read(told, 4)
        if not more: break
        numbers = more
    os.close(told)
    return int.from_bytes(numbers, "little")
"""
