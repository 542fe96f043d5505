"""Builds the image of Dockerfile without a daemon, starts the dashboard in it and asks how it is.

buildah takes the file's lines as Docker does, on a bare Debian that mmdebstrap makes in place of the published image,
so that a package which the file forgets is missing. What runs in the image runs in a chroot with a network of its own,
first by CMD, then as compose.yaml says. Of an image with CUDA, a small model grades, too, on the CPU.

    python .ci/containers.py [cuda]

It takes root, buildah, mmdebstrap and iproute2, and leaves its files in /var/tmp/examboard-container, or in $TMPDIR.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = Path(os.environ.get("TMPDIR", "/var/tmp")) / "examboard-container"
IMAGE = "localhost/examboard"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
"""This machine's, by which pip trusts a proxy that an image knows nothing of."""
SERVES = """
"$@" & server=$!
until {healthy} 2>/dev/null; do
    kill -0 $server || exit 1
    [ $((waited = waited + 1)) -lt 200 ] || exit 1
    sleep 0.2
done
python -c "print(__import__('urllib.request').request.urlopen('http://127.0.0.1:8501/healthz').read().decode())"
kill $server
wait $server
"""
"""Starts what follows, waits until the image's own check of its health passes, prints what it answers, and ends it."""
GRADES = """
export OMP_NUM_THREADS=1
python -c "from pathlib import Path; from tests.grading import tiny; tiny.save(Path('/tmp/model'), tiny.trained_t5())"
examboard demo
examboard grade demo --bank open --model /tmp/model --device cpu --limit 40
python -c "import torch; print('CUDA', torch.version.cuda)"
"""
SECRETS = """
[auth]
redirect_uri = "https://board.example.org/oauth2callback"
cookie_secret = "0123456789abcdef0123456789abcdef"
client_id = "examboard"
client_secret = "none"
server_metadata_url = "https://id.example.org/.well-known/openid-configuration"
"""


def buildah(*arguments: str | Path, within: str = "") -> str:
    """What a command of buildah prints. `within` is a command to run it by."""
    own = ["buildah", "--root", FOLDER / "images", "--runroot", FOLDER / "running", "--storage-driver", "vfs"]
    command = [*shlex.split(within), *map(str, [*own, *arguments])]
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def build(grader: str) -> None:
    """Build as `docker build --build-arg GRADER=...` does, on a Debian under the name that Dockerfile begins with."""
    name = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)[0]
    buildah("rm", "--all")  # of a run that ended early
    archive = FOLDER / "debian.tar"
    if not archive.exists():
        release = name.partition(":")[2].removesuffix("-slim")
        subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", release, FOLDER / "part.tar"], check=True)
        (FOLDER / "part.tar").rename(archive)
    base = buildah("from", "scratch")
    buildah("add", "--quiet", base, archive, "/")
    buildah("commit", "--quiet", "--rm", base, f"docker.io/library/{name}")
    mounts = [f"--volume={FOLDER}/pip.conf:/etc/pip.conf:ro", f"--volume={CERTIFICATES}:/mnt/certificates.crt:ro"]
    (FOLDER / "pip.conf").write_text("[global]\ncert = /mnt/certificates.crt\ntimeout = 180\n", encoding="utf-8")
    options = ["--isolation=chroot", "--pull-never", "--format=docker", *(mounts if CERTIFICATES.exists() else ())]
    buildah("bud", *options, f"--build-arg=GRADER={grader}", "--tag", IMAGE, ROOT)


def run(container: str, script: str, *arguments: str, mounts: Sequence[str] = ()) -> str:
    """What a shell script prints in a container, as the image's user and with nothing but a loopback network."""
    alone = "unshare --net sh -c 'ip link set lo up && exec \"$@\"' sh"
    options = ["--isolation=chroot", *(f"--volume={mount}" for mount in mounts)]
    return buildah("run", *options, container, "--", "sh", "-euc", script, "sh", *arguments, within=alone)


def main(grader: str = "") -> int:
    """Build, start and ask; print how long each took."""
    missing = [name for name in ("buildah", "mmdebstrap", "ip") if not shutil.which(name)]
    if missing:
        print(
            f"Not checked: {', '.join(missing)} missing: apt-get install buildah mmdebstrap iproute2", file=sys.stderr
        )
        return 2
    shutil.rmtree(FOLDER / "team", ignore_errors=True)
    (FOLDER / "team").mkdir(parents=True)
    for name, text in (("secrets.toml", SECRETS), ("roles.toml", '[roles]\n"*" = "viewer"\n')):
        (FOLDER / "team" / name).write_text(text, encoding="utf-8")
        (FOLDER / "team" / name).chmod(0o600)
        shutil.chown(FOLDER / "team" / name, 1000)
    started = time.monotonic()
    build(grader)
    print(f"built in {time.monotonic() - started:.0f} s", flush=True)
    about = json.loads(buildah("inspect", "--type", "image", IMAGE))["Docker"]["config"]
    serves = SERVES.format(healthy=shlex.join(about["Healthcheck"]["Test"][1:]))
    served = re.findall(r"^    command: (examboard .*)$", (ROOT / "compose.yaml").read_text("utf-8"), re.MULTILINE)[0]
    container = buildah("from", "--pull-never", IMAGE)
    for command in (about["Cmd"], shlex.split(served)):
        started = time.monotonic()
        said = run(container, serves, *command, mounts=[f"{FOLDER}/team:/team:ro"])
        print(f"{shlex.join(command)}\n{said}\nanswered and ended in {time.monotonic() - started:.0f} s", flush=True)
    if grader:
        print(run(container, GRADES, mounts=[f"{ROOT}/tests:/app/tests:ro"]))
    buildah("rm", "--all")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:2]))
    except subprocess.CalledProcessError as error:
        sys.exit(f"Failed: {shlex.join(map(str, error.cmd))}")
