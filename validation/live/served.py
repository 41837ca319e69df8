"""What the programs of this folder share: the server that they began, and ended."""
import signal
import subprocess


def end(process):
    """As Ctrl-C does; killed where it has not ended in half a minute."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
