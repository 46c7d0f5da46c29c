"""What the system does to us: folders that cannot be written, full disks, closed pipes, interrupts."""
import os
import resource
import signal
import subprocess
import time

from case import GOOD, case

DATA = {"claims.csv": GOOD}
FIT = ["train", "claims.csv", "--target", "claim", "--force", "-o"]


def noise(rows=40_000):
    """Labels that nothing explains: a fully grown tree is large and takes a while."""
    state, lines = 1, ["a,b,c,y"]
    for _ in range(rows):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        lines.append(f"{state >> 40},{state >> 20 & 0xfffff},{state >> 44 & 0xff},{'uvw'[(state >> 33) % 3]}")
    return "\n".join(lines) + "\n"


BIG = {"big.csv": noise}
HUGE = {"big.csv": lambda: noise(400_000)}   # seconds of training on any machine
FIT_BIG = ["train", "big.csv", "--target", "y", "--quiet"]
GROW_BIG = [*FIT_BIG, "--learner", "cart"]   # soon there, and half a megabyte to save


def mounted(place, options, command):
    """Runs command in a mount of its own at place/disk; None where the system does not let us mount."""
    (place.folder / "disk").mkdir(exist_ok=True)
    script = f'mount -t tmpfs -o {options} none disk && shift && {command}'
    probe = subprocess.run(["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=64k none disk"], cwd=place.folder, stderr=subprocess.PIPE)
    return None if probe.returncode else place.run(["unshare", "-m", "sh", "-c", script, "sh", "x"])


# ---- folders --------------------------------------------------------------------------------------------------


def read_only_folder(place):
    """A mount that is read-only binds root too; without the right to mount we are not root, and permissions bind."""
    answer = mounted(place, "size=1m,ro", f"exec {place.program} {' '.join(FIT)} disk/m.wald")
    if answer is not None: return answer
    if os.geteuid() == 0: return place.wald(*FIT, "/proc/m.wald")  # a root who may not mount: nobody can write there
    os.chmod(place.folder / "disk", 0o555)
    return place.wald(*FIT, "disk/m.wald")


case("a folder that is read-only", DATA, read_only_folder, 1, "cannot write", "m.wald")
case("a folder where nothing can be created", DATA, lambda p: p.wald(*FIT, "/proc/m.wald"), 1, "cannot write /proc/m.wald")
case("a folder that is not there", DATA, lambda p: p.wald(*FIT, "none/m.wald"), 1, "cannot write none/m.wald: No such file")
case("a file in place of a folder", DATA, lambda p: p.wald(*FIT, "claims.csv/m.wald"), 1, "cannot write claims.csv/m.wald: Not a directory")
case("a folder in place of the file", DATA | {"m.wald/inner": "kept"}, lambda p: p.wald(*FIT, "m.wald"), 2, "m.wald is a folder")
case("a name of three hundred letters", DATA, lambda p: p.wald(*FIT, "m" * 300), 1, "File name too long")
case("a file that exists already", DATA | {"m.wald": "old"}, "train claims.csv --target claim -o m.wald", 2, "m.wald exists already", "--force")
case("predictions over an existing file", DATA | {"p.csv": "old"}, "predict good.wald claims.csv -o p.csv", 2, "p.csv exists already", "--force")

# ---- full disks -----------------------------------------------------------------------------------------------


def full_disk(place):
    """A disk of 64 KB holds the old model and not the new one; the old one must survive."""
    place.write("good.copy", place.read("good.wald"))
    wald = f"{place.program} {' '.join(GROW_BIG)} --force -o disk/m.wald; code=$?"
    kept = "cmp good.copy disk/m.wald && [ \"$(ls -A disk)\" = m.wald ] && echo the old file is whole; rm -f disk/m.wald; exit $code"
    answer = mounted(place, "size=64k", f"cp good.copy disk/m.wald && {{ {wald}; {kept}; }}")
    if answer is not None: return answer
    # Without the right to mount: a limit on the size of files stops the writing at the same place.
    (place.folder / "disk").mkdir(exist_ok=True)
    place.write("disk/m.wald", place.read("good.wald"))
    return small_files(place, 65536, f"{wald}; {kept}")


def small_files(place, limit, script):
    return place.run(["sh", "-c", script], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))


def limited(place):
    place.write("m.wald", place.read("good.wald"))
    script = f"{place.program} {' '.join(GROW_BIG)} --force -o m.wald; code=$?; cmp good.wald m.wald && echo the old file is whole; exit $code"
    return small_files(place, 20000, script)


# Where nothing may be mounted, a limit on the size of files stands in for the small disk and answers in its own words.
case("a full disk", BIG, full_disk, 1, "cannot write disk/m.wald: ", "the old file is whole", seconds=30)
case("a limit on the size of files", BIG, limited, 1, "m.wald: File too large", "the old file is whole",
     written=("m.wald",), seconds=30)
case("a device that is always full", DATA, lambda p: p.wald(*FIT, "/dev/full"), 1, "cannot write /dev/full: No space left")
case("predictions to a device that is always full", DATA, lambda p: p.run([p.program, "predict", "good.wald", "claims.csv"],
     stdout=open("/dev/full", "wb")), 1, "No space left")

# ---- pipes ----------------------------------------------------------------------------------------------------


def closed_pipe(place):
    """As `wald predict ... | head -1`: the reader goes away, nobody is to blame, and nothing is said."""
    read, write = os.pipe()
    os.close(read)
    answer = place.run([place.program, "predict", "good.wald", "many.csv"], stdout=write)
    os.close(write)
    return answer.because(f"said {answer.text!r}") if answer.text.strip() else answer.with_code(0 if answer.code in (0, 1, 141, -13) else answer.code)


def many_rows():
    return "age,region,premium\n" + "30,north,300\n" * 50_000


case("a reader that goes away", {"many.csv": many_rows}, closed_pipe, 0)
case("a closed standard output", DATA, lambda p: p.run(["sh", "-c", f"exec {p.program} predict good.wald claims.csv >&-"]), 1, "error")
case("a closed standard input", DATA, lambda p: p.run(["sh", "-c", f"exec {p.program} train - --target y -o m.wald <&-"]), 1, "standard input")

# ---- interrupts -----------------------------------------------------------------------------------------------


def interrupted(place, train, when, number, old):
    """Sends the signal once `when` holds. Either the run stops with nothing changed, or it was over and is whole."""
    if old: place.write("m.wald", place.read("good.wald"))
    command = [place.program, *train, "-o", "m.wald"] + (["--force"] if old else [])
    process = subprocess.Popen(command, cwd=place.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    while process.poll() is None and not (listens(process.pid, number) and when(place)): pass
    if process.poll() is None: process.send_signal(number)
    text = process.communicate()[0].decode("utf-8", "replace")
    answer = place.answer(process.returncode, text)
    target = place.folder / "m.wald"
    if answer.code == 0: return answer if place.wald("show", "m.wald").code == 0 else answer.because("the new file is broken")
    if old and place.read("m.wald") != place.read("good.wald"): return answer.because("the old file was changed")
    if not old and target.exists(): return answer.because("an unfinished run left a file")
    return answer


def listens(pid, number):
    """Whether the program has come to the point where it takes the signal."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        caught = next((line for line in file if line.startswith("SigCgt:")), "SigCgt: 0")
    return int(caught.split()[1], 16) >> (number - 1) & 1 == 1


def after(seconds):
    end = []
    def when(place):
        end[:] = end or [time.monotonic() + seconds]
        return time.monotonic() > end[0]
    return when


def saving(place):
    return any(name.startswith(".m.wald.") for name in os.listdir(place.folder))


def during_save(place, number, old):
    """The moment is short: tried until a run was caught in it, and a run that was too fast must be whole."""
    for _ in range(10):
        (place.folder / "m.wald").unlink(missing_ok=True)
        answer = interrupted(place, GROW_BIG, saving, number, old)
        if answer.code != 0 or answer.broken: return answer
    return answer.with_code(130)  # the file was complete each time before the signal was heard, which is as good


def during_training(place, number, old):
    return interrupted(place, FIT_BIG, after(0.3), number, old)


for word, number in (("an interrupt", signal.SIGINT), ("a request to end", signal.SIGTERM)):
    case(f"{word} during training", HUGE, lambda p, n=number: during_training(p, n, False), 130, seconds=30)
    case(f"{word} during training over an old file", HUGE, lambda p, n=number: during_training(p, n, True), 130,
         written=("m.wald",), seconds=30)
case("an interrupt while saving", BIG, lambda p: during_save(p, signal.SIGINT, False), 130, written=("m.wald",), seconds=60)
case("an interrupt while saving over an old file", BIG, lambda p: during_save(p, signal.SIGINT, True), 130, written=("m.wald",), seconds=60)
